/** Maps decimal separators beside digits of other scripts to ASCII. */
const separators: Readonly<Record<string, string>> = { '٫': '.', '．': '.', '،': ',', '，': ',' }

/**
 * Returns the ASCII digit by counting back to its script's zero, since a script's digits are in a
 * row.
 */
function toAscii(digit: string): string {
  let before = digit.codePointAt(0) ?? 0
  let passed = -1
  for (; /^\p{Nd}$/u.test(String.fromCodePoint(before)); before--) passed++
  return `${passed % 10}`
}

/** Writes digits of all scripts (Unicode's Nd) as 0 to 9, and decimal separators as `.` and `,`. */
export const plainDigits = (text: string): string =>
  text
    .replace(/(?![0-9])\p{Nd}/gu, toAscii)
    .replace(/[٫．،，]/g, (each) => separators[each] ?? each)
