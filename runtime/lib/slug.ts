/** Letters that stay one letter when accents are taken off: of Latin, Greek and Cyrillic, each with what stands for it in ASCII. */
const letters: Readonly<Record<string, string>> = Object.fromEntries(
  [
    "ß=ss æ=ae œ=oe ø=o đ=d ð=d þ=th ł=l ħ=h ŋ=ng ŧ=t ı=i ĸ=k ƒ=f ə=e",
    "ɓ=b ɖ=d ɗ=d ɛ=e ɣ=g ɨ=i ɩ=i ƙ=k ɲ=ny ɔ=o ƭ=t ʉ=u ʋ=v ƴ=y",
    "α=a β=v γ=g δ=d ε=e ζ=z η=i θ=th ι=i κ=k λ=l μ=m ν=n ξ=x ο=o π=p ρ=r σ=s ς=s τ=t υ=y φ=f χ=ch ψ=ps ω=o",
    "а=a б=b в=v г=g д=d е=e ж=zh з=z и=i й=y к=k л=l м=m н=n о=o п=p р=r с=s т=t у=u ф=f х=kh ц=ts ч=ch ш=sh щ=shch ъ= ы=y ь= э=e ю=yu я=ya",
    "є=ye і=i ї=yi ґ=g ў=u ђ=dj ј=j љ=lj њ=nj ћ=c џ=dz ѕ=dz",
    "ә=a ғ=g җ=j қ=q ң=ng ө=o ұ=u ү=u һ=h",
  ].flatMap((line) => line.split(" ").map((pair) => pair.split("="))),
);

/**
 * A text as part of an address: small letters, digits and single hyphens. Latin, Greek and Cyrillic letters are written in ASCII; every run of
 * other characters is one hyphen, none at the ends. May be empty.
 */
export function slug(text: string): string {
  // Some letters of the table are themselves a letter with an accent, so it is looked up before accents are taken off, too.
  return ascii(ascii(text.normalize("NFKC").toLowerCase()).normalize("NFKD").replace(/\p{M}/gu, ""))
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
}

const ascii = (text: string): string => text.replace(/\P{ASCII}/gu, (letter) => letters[letter] ?? letter);
