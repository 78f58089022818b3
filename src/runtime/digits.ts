/** Maps decimal separators beside digits of other scripts to ASCII. */
const separators: Readonly<Record<string, string>> = { '٫': '.', '．': '.', '،': ',', '，': ',' }

/** Returns the ASCII digit by its distance from its script's zero: digits are consecutive. */
function toAscii(digit: string): string {
  let before = digit.codePointAt(0) ?? 0
  let passed = -1
  for (; /^\p{Nd}$/u.test(String.fromCodePoint(before)); before--) passed++
  return `${passed % 10}`
}

/**
 * Converts digits of all scripts (Unicode's Nd) to 0 to 9, and decimal separators to `.` or `,`.
 */
export const toPlainDigits = (text: string): string =>
  text
    .replace(/(?![0-9])\p{Nd}/gu, toAscii)
    .replace(/[٫．،，]/g, (each) => separators[each] ?? each)
