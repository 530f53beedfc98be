/** A function whose value is made at its first call, and kept. */
export function once<Value>(make: () => Value): () => Value {
  let holder: { readonly value: Value } | undefined;
  return () => {
    holder ??= { value: make() };
    return holder.value;
  };
}
