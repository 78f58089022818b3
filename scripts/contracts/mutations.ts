/** A change of one line of a source that a test has to notice. */
export type Mutation = {
  readonly file: string
  /** From 1. */
  readonly line: number
  readonly before: string
  readonly after: string
}

type Rule = readonly [pattern: RegExp, replacement: string]

const rules: readonly Rule[] = [
  // Bounds and comparisons.
  [/ < /g, ' <= '],
  [/ > /g, ' >= '],
  [/ <= /g, ' < '],
  [/ >= /g, ' > '],
  [/ == /g, ' != '],
  [/ != /g, ' == '],
  // Arithmetic.
  [/ \+ /g, ' - '],
  [/ - /g, ' + '],
  [/ \* /g, ' / '],
  [/ \/ /g, ' * '],
  [/ % /g, ' / '],
  [/ << /g, ' >> '],
  [/ >> /g, ' << '],
  [/ & /g, ' | '],
  [/ \+= /g, ' -= '],
  [/ \+= /g, ' = '],
  [/ -= /g, ' += '],
  // Logic.
  [/ && /g, ' || '],
  [/ \|\| /g, ' && '],
  [/\(!/g, '('],
  [/ \? (.+) : (.+);/g, ' ? $2 : $1;'],
  // Numbers and constants.
  [/\b24\b/g, '23'],
  [/\b7 days\b/g, '6 days'],
  [/(?<== )(\d[\d_]*)(?= ether;|;)/g, '$1 + 1'],
  [/(?<== )(\d[\d_.]*) ether;/g, '2 ether;'],
  [/\b(\d+)(?=\)? \/ 63)/g, '$1 + 1'],
  [/\btype\(uint256\)\.max/g, 'type(uint128).max'],
  // Guards, missing or wrong.
  [/ (onlyOwner|onlyForwarded|onlyDirect|whenNotPaused)\b(?=.*\{)/g, ''],
  [/ onlyForwarded\b(?=.*\{)/g, ' onlyDirect'],
  [/\b_msgSender\(\)/g, 'msg.sender'],
  // Outcomes.
  [/= Status\.(?!Skipped)\w+/g, '= Status.Skipped'],
  [/return Status\.(?!Skipped)\w+/g, 'return Status.Skipped'],
  [/= Status\.Skipped/g, '= Status.Failed'],
  [/= true;/g, '= false;'],
  // Assembly.
  [/\bgt\(/g, 'lt('],
  [/\bgas_, to\b/g, 'gas(), to'],
  [/\b0x3f\b/g, '0x1f'],
  [/^( +)(?:\w+ :=|mstore\(|returndatacopy\(|if gt\().*[^;{]$/g, '$1// gone'],
  // A statement that is gone: checks, events, effects.
  [/^( +)(?:emit |if |\w+[.([]|\w+ [+-]?= |\().*;$/g, '$1// gone'],
]

/** All mutations of a Solidity file, in the order of its lines. */
export function mutationsOf(file: string, source: string): Mutation[] {
  return source.split('\n').flatMap((before, index) => {
    if (!isCode(before)) return []
    const variants = new Set(rules.flatMap((rule) => apply(rule, before)))
    variants.delete(before)
    return [...variants].map((after) => ({ file, line: index + 1, before, after }))
  })
}

/** The source with the mutation in it. */
export function mutate(source: string, { line, after }: Mutation): string {
  return source
    .split('\n')
    .map((text, index) => (index + 1 === line ? after : text))
    .join('\n')
}

/** One variant for each place where the rule applies. */
function apply([pattern, replacement]: Rule, line: string): string[] {
  return [...line.matchAll(pattern)].map((match) => {
    const [start, end] = [match.index, match.index + match[0].length]
    const single = new RegExp(pattern.source)
    return line.slice(0, start) + replaceAt(line, single, start, end, replacement) + line.slice(end)
  })
}

/** Look-arounds need the whole line, so the replacement is worked out there and cut out. */
function replaceAt(line: string, pattern: RegExp, start: number, end: number, replacement: string) {
  const sticky = new RegExp(pattern.source, 'y')
  sticky.lastIndex = start
  const replaced = line.replace(sticky, replacement)
  return replaced.slice(start, replaced.length - (line.length - end))
}

function isCode(line: string): boolean {
  const text = line.trim()
  const isDeclaration =
    /^(pragma|import|contract|library|using|struct|mapping|function|constructor)\b/
  const isGuarded = /^function.* (onlyOwner|onlyForwarded|onlyDirect|whenNotPaused)\b.*\{/
  return (
    text !== '' &&
    !/^(\/\/|\/\*|\*)/.test(text) &&
    (!isDeclaration.test(text) || isGuarded.test(text))
  )
}
