/** What stands for a decimal separator beside digits that are not ASCII's. */
const separators: Readonly<Record<string, string>> = { '٫': '.', '．': '.', '،': ',', '，': ',' }

/** Unicode has the digits of a script in a row that begins with its zero; some rows follow each other. */
function asciiOf(digit: string): string {
  let before = digit.codePointAt(0) ?? 0
  let passed = -1
  for (; /^\p{Nd}$/u.test(String.fromCodePoint(before)); before--) passed++
  return `${passed % 10}`
}

/** Writes the digits of all scripts (Unicode's Nd) as 0 to 9, and their decimal separators as `.` and `,`. */
export const plainDigits = (text: string): string =>
  text
    .replace(/(?![0-9])\p{Nd}/gu, asciiOf)
    .replace(/[٫．،，]/g, (each) => separators[each] ?? each)
