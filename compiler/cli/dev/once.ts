/** A value that is made when it is first asked for. */
export function once<Value>(make: () => Value): () => Value {
  let holder: { readonly value: Value } | undefined;
  return () => {
    holder ??= { value: make() };
    return holder.value;
  };
}
