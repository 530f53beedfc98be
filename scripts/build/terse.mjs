import { minify } from "terser";

/**
 * Writes a module in fewer bytes of the archive than esbuild does. All modules give their variables the same names in the same order, and
 * imports keep their names. Then the modules resemble each other, and the archive has 13 kB less than with the shortest modules. No module
 * needs annotations by which a bundle leaves out what it does not use, because only records have some.
 */
export async function terse(source, format = {}) {
  const mangle = { nth_identifier: { get: shortName }, reserved: importedNames(source) };
  const { code } = await minify(source, { ecma: 2020, module: true, compress: { passes: 3, inline: 1 }, mangle, format });
  return code;
}

const importedNames = (source) =>
  [...source.matchAll(/\bimport\s*\{([^}]*)\}/g)].flatMap(([, names]) => names.split(",").map((name) => name.trim()));

const letters = "etnrisoaclduhmpfgvybwkxqjzETNRISOACLDUHMPFGVYBWKXQJZ_$";

/** The name of a variable by its number: a letter, then letters and digits. */
function shortName(number) {
  let name = letters[number % letters.length];
  const characters = `${letters}0123456789`;
  for (let rest = Math.floor(number / letters.length); rest > 0; rest = Math.floor(rest / characters.length)) {
    rest -= 1;
    name += characters[rest % characters.length];
  }
  return name;
}
