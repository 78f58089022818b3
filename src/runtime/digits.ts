/** Maps the decimal separators of other scripts to ASCII. */
const separators: Readonly<Record<string, string>> = { '٫': '.', '．': '.', '،': ',', '，': ',' }

/** Converts a digit to ASCII by its distance from zero: a script's digits are consecutive. */
function toAsciiDigit(digit: string): string {
  let codePoint = digit.codePointAt(0) ?? 0
  let distance = -1
  for (; /^\p{Nd}$/u.test(String.fromCodePoint(codePoint)); codePoint--) distance++
  // Some scripts have several sets of ten digits in a row.
  return `${distance % 10}`
}

/** Converts the digits of all scripts to 0 to 9, and their decimal separators to `.` or `,`. */
export const toPlainDigits = (text: string): string =>
  text
    .replace(/(?![0-9])\p{Nd}/gu, toAsciiDigit)
    .replace(/[٫．،，]/g, (each) => separators[each] ?? each)
