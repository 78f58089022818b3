import { analyseSolidity, childrenOf, isNode, type SolidityNode } from './syntax.ts'

export type Mutation = Readonly<ReturnType<typeof describe>>

type Span = { start: number; end: number }
type Edit = Span & { text: string }

type Scope = ReturnType<typeof scopeOf>

type Found = { rule: string; edits: Edit[] }
type Rule = (node: SolidityNode, scope: Scope) => Found[]

/** By the kind of a node, what a careless or a dishonest hand makes of it. */
const rules: Readonly<Record<string, Rule>> = {
  BinaryOperation: (node, scope) => [...operators(node), ...authorisations(node, scope)],
  Assignment: (node, { fn }) => (fn === undefined ? [] : assignments(node)),
  Return: ({ expression }) => outcomes(expression),
  Literal: literals,
  UnaryOperation: (node) =>
    node.operator === '!' ? [one('boolean', node, node.subExpression.text)] : [],
  Conditional: (node) => [exchanged('boolean', node.trueExpression, node.falseExpression)],
  FunctionCall: calls,
  FunctionDefinition: modifiers,
  IfStatement: guards,
  // A loop that does not go on ends nowhere, and that takes minutes to notice.
  ExpressionStatement: (node) =>
    node.expression.nodeType === 'UnaryOperation' ? [] : [gone(node)],
  EmitStatement: (node) => [gone(node)],
  Block: order,
  YulExpressionStatement: (node) => [gone(node)],
  YulIf: (node) => [gone(node)],
  YulAssignment: (node) => [gone(node)],
  YulLiteral: (node) => (node.text === '0x3f' ? [one('number', node, '0x1f')] : []),
  YulFunctionCall: ({ functionName, arguments: [first] }) => {
    if (functionName.name === 'gt') return [one('operator', functionName, 'lt')]
    if (functionName.name !== 'call' || first === undefined) return []
    return ['gas()', '0'].map((text) => one('argument by zero', first, text))
  },
}

/** Lists operators that a careless hand writes for one another. */
const alike = ['< <=', '> >=', '== !=', '+ -', '* /', '<< >>', '& |', '&& ||'].map((pair) =>
  pair.split(' '),
)
const swapped: Readonly<Record<string, string>> = Object.fromEntries([
  ...alike,
  ...alike.map((pair) => pair.toReversed()),
  ['%', '/'],
])

export const mutationsOf = (files: readonly string[]): Mutation[] =>
  analyseSolidity(files).flatMap(({ file, source, tree, all: sources }) => {
    const contracts = sources.flatMap(childrenOf).filter(isContract)
    const found = childrenOf(tree)
      .filter((node) => isContract(node) && node.contractKind !== 'interface')
      .flatMap((contract) => {
        const ids = contract.linearizedBaseContracts
        const bases = contracts.filter(({ id }) => ids.includes(id))
        return walk(contract, scopeOf(contract, bases, tree))
      })
      .map(({ rule, edits }) => describe(file, source, rule, edits))
      .filter(({ before, after }) => before !== after)
    const unique = new Map(found.map((each) => [`${each.edits[0]?.start} ${each.after}`, each]))
    return [...unique.values()].sort((a, b) => a.line - b.line)
  })

export function mutate(source: Buffer, edits: readonly Edit[]): Buffer {
  return [...edits]
    .sort((a, b) => b.start - a.start)
    .reduce(
      (changed, { start, end, text }) =>
        Buffer.concat([changed.subarray(0, start), Buffer.from(text), changed.subarray(end)]),
      source,
    )
}

const declarations =
  /^(StructDefinition|EventDefinition|ErrorDefinition|ElementaryTypeName|ArrayTypeName|Mapping)$/

function walk(node: SolidityNode, scope: Scope): Found[] {
  if (declarations.test(node.nodeType)) return []
  const isFunction = /^(Function|Modifier)Definition$/.test(node.nodeType)
  const inner = isFunction ? { ...scope, fn: node } : scope
  return [
    ...(rules[node.nodeType]?.(node, inner) ?? []),
    ...childrenOf(node).flatMap((child) => walk(child, inner)),
  ]
}

function operators(node: SolidityNode): Found[] {
  const { leftExpression: left, rightExpression: right, operator } = node
  const other = swapped[operator]
  const isLogic = operator === '&&' || operator === '||'
  return [
    ...(other === undefined ? [] : [one('operator', between(left, right), ` ${other} `)]),
    ...(isLogic ? [left, right].map((side) => one('half a condition', node, side.text)) : []),
  ]
}

function assignments({ leftHandSide: left, rightHandSide: right, operator }: SolidityNode) {
  if (operator === '=') return outcomes(right, false)
  const others = { '+=': ['-=', '='], '-=': ['+=', '='] }[operator] ?? []
  return others.map((other) => one('assignment', between(left, right), ` ${other} `))
}

function literals(node: SolidityNode): Found[] {
  if (node.kind === 'bool') return [one('boolean', node, `${node.value !== 'true'}`)]
  const number = /^[\d_]+(?=( \w+)?$)/.exec(node.text)?.[0]
  if (node.kind !== 'number' || number === undefined) return []
  const next = Number(number.replaceAll('_', '')) + 1
  return [one('number', node, `${next}${node.text.slice(number.length)}`)]
}

/** Replaces an argument by zero, swaps two of one type, and replaces the caller spoken for. */
function calls(node: SolidityNode): Found[] {
  const caller = node.text === '_msgSender()' ? [one('caller', node, 'msg.sender')] : []
  if (node.kind !== 'functionCall') return caller
  const given = node.arguments
  const zeros = given.flatMap((argument) => {
    if (/^u?int\d+$/.test(argument.type)) return [one('argument by zero', argument, '0')]
    const isAddress = /^address( payable)?$/.test(argument.type)
    return isAddress ? [one('argument by zero', argument, 'payable(address(0))')] : []
  })
  const exchanges = given.slice(1).flatMap((right, index) => {
    const left = given[index]
    return left?.type === right.type ? [exchanged('arguments exchanged', left, right)] : []
  })
  return [...zeros, ...exchanges, ...caller]
}

function outcomes(value: SolidityNode, isReturned = true): Found[] {
  if (!isNode(value)) return []
  if (value.type === 'bool' && isReturned) {
    return ['true', 'false'].map((text) => one('outcome', value, text))
  }
  if (!value.type.startsWith('enum ') || value.nodeType !== 'MemberAccess') return []
  const isSkipped = value.text === 'Status.Skipped'
  return [one('outcome', value, isSkipped ? 'Status.Failed' : 'Status.Skipped')]
}

/** One that is missing, one that is another, and one too many. */
function modifiers(node: SolidityNode, scope: Scope): Found[] {
  if (node.kind !== 'function') return []
  const invocations = invocationsOf(node)
  const has = invocations.map(({ text }) => text)
  const only = scope.modifiers.filter((name) => name.startsWith('only'))
  const isOpen = /^(external|public)$/.test(node.visibility) && isNode(node.body)
  const isAdded = isOpen && /payable$/.test(node.stateMutability)
  const { start } = isAdded ? node.body : node
  return [
    ...invocations.map(({ start, end }) => one('guard missing', { start: start - 1, end }, '')),
    ...invocations
      .filter(({ text }) => text.startsWith('only'))
      .flatMap((invocation) => only.map((text) => one('guard of others', invocation, text))),
    ...(isAdded ? scope.modifiers : [])
      .filter((name) => !has.includes(name))
      .map((name) => one('guard too many', { start, end: start }, `${name} `)),
  ]
}

/** A guard that lets one through who holds some other power, or stops that one. */
function guards({ condition, trueBody }: SolidityNode, { privileges, fn, caller }: Scope): Found[] {
  const { text } = condition
  const constants = ['true', 'false'].map((value) => one('condition', condition, value))
  const last = trueBody.nodeType === 'Block' ? trueBody.statements.at(-1) : trueBody
  if (!/^(RevertStatement|Return)$/.test(last?.nodeType ?? '')) return constants
  // Who asks: the signer where a request is judged, else the caller.
  const isOfRequest = fn?.parameters.parameters.some(({ name }) => name === 'request')
  const others = privileges(isOfRequest ? 'request.from' : caller)
  return [
    ...constants,
    ...others.map((other) => one('backdoor', condition, `(${text}) && !(${other})`)),
    ...others.slice(0, 1).map((any) => one('guard too many', condition, `(${text}) || (${any})`)),
  ]
}

/** Where two accounts have to be the same, one of them may as well hold some other power. */
function authorisations(node: SolidityNode, { privileges, roles }: Scope): Found[] {
  const { operator, text, leftExpression: left, rightExpression: right } = node
  const sides = [left, right]
  const isOfAccounts = sides.every(({ type }) => type.startsWith('address'))
  if (!isOfAccounts || !['==', '!='].includes(operator)) return []
  const same = [`${left.text} == ${right.text}`, `${right.text} == ${left.text}`]
  return (
    sides
      .filter(({ nodeType }) => nodeType === 'Identifier' || nodeType === 'MemberAccess')
      // A role is no actor: it says who may.
      .filter((side) => !roles.includes(side.text))
      .flatMap((side) => privileges(side.text))
      .filter((privilege) => !same.includes(privilege))
      .map((privilege) => {
        const change = operator === '==' ? `|| ${privilege}` : `&& !(${privilege})`
        return one('backdoor', node, `(${text} ${change})`)
      })
  )
}

const gone = (node: SolidityNode): Found => one('statement gone', statement(node), '')

/** What has to happen before another contract is reached happens after it. */
function order({ statements }: SolidityNode, { interacting }: Scope): Found[] {
  return statements.flatMap((late, index) => {
    if (!interacts(late, interacting)) return []
    const { end } = statement(late)
    return statements
      .slice(0, index)
      .filter(({ nodeType }) => nodeType === 'ExpressionStatement' || nodeType === 'EmitStatement')
      .map((early) => {
        const moved = { start: end, end, text: ` ${early.text};` }
        return { rule: 'order', edits: [{ ...statement(early), text: '' }, moved] }
      })
  })
}

const isContract = ({ nodeType }: SolidityNode) => nodeType === 'ContractDefinition'

const invocationsOf = (fn: SolidityNode) =>
  fn.modifiers.filter(({ kind }) => kind === 'modifierInvocation')

function scopeOf(contract: SolidityNode, bases: SolidityNode[], tree: SolidityNode) {
  const known = bases.flatMap(childrenOf)
  const functions = childrenOf(contract).filter(({ nodeType }) => nodeType === 'FunctionDefinition')
  const used = functions.flatMap(invocationsOf).map(({ text }) => text)
  const knowsOwner = known.some(
    ({ nodeType, name }) => nodeType === 'FunctionDefinition' && name === 'owner',
  )
  const variables = known.filter(
    ({ nodeType, visibility, mutability }) =>
      nodeType === 'VariableDeclaration' && visibility !== 'private' && mutability === 'mutable',
  )
  const namesOf = (wanted: string) =>
    variables.filter(({ type }) => type === wanted).map(({ name }) => name)
  const [roles, lists] = [namesOf('address'), namesOf('mapping(address => bool)')]
  /** Conditions that privilege an actor: he is the owner, or stands in a list. */
  const privileges = (actor: string) => [
    ...(knowsOwner ? [`${actor} == owner()`] : []),
    ...roles.map((name) => `${actor} == ${name}`),
    ...lists.map((name) => `${name}[${actor}]`),
  ]
  return {
    fn: undefined as SolidityNode | undefined,
    /** Without arguments, as its functions use them. */
    modifiers: [...new Set(used.filter((name) => !name.includes('(')))],
    privileges: contract.contractKind === 'library' ? () => [] : privileges,
    roles,
    caller: /\b_msgSender\(\)/.test(tree.text) ? '_msgSender()' : 'msg.sender',
    /** Functions that reach another contract, by the number of their declaration. */
    interacting: interactingFunctions(functions),
  }
}

function interactingFunctions(functions: readonly SolidityNode[]): ReadonlySet<number> {
  const found = new Set<number>()
  for (let before = -1; before < found.size; ) {
    before = found.size
    for (const fn of functions) if (interacts(fn, found)) found.add(fn.id)
  }
  return found
}

function interacts(node: SolidityNode, known: ReadonlySet<number>): boolean {
  if (node.nodeType === 'YulFunctionCall') return node.functionName.name === 'call'
  if (node.nodeType === 'FunctionCall') {
    const { memberName, referencedDeclaration, type } = node.expression
    const isExternal = type.includes(' external') && !/ (view|pure) /.test(type)
    if (/^(call|send)/.test(memberName) || isExternal) return true
    if (known.has(referencedDeclaration)) return true
  }
  return childrenOf(node).some((child) => interacts(child, known))
}

function describe(file: string, source: Buffer, rule: string, edits: readonly Edit[]) {
  const first = Math.min(...edits.map(({ start }) => start))
  const last = Math.max(...edits.map(({ end }) => end))
  const begin = source.lastIndexOf('\n', first - 1) + 1
  const rest = source.length - source.indexOf('\n', last)
  const line = source.subarray(0, begin).toString('utf8').split('\n').length
  /** The lines that it touches, without what space stands around them. */
  const touched = (text: Buffer) =>
    text
      .toString('utf8', begin, text.length - rest)
      .trim()
      .replaceAll(/\s+/g, ' ')
  return { file, rule, line, before: touched(source), after: touched(mutate(source, edits)), edits }
}

function one(rule: string, { start, end }: Span, text: string): Found {
  return { rule, edits: [{ start, end, text }] }
}

function exchanged(rule: string, left: SolidityNode, right: SolidityNode): Found {
  const edit = ({ start, end }: Span, { text }: SolidityNode) => ({ start, end, text })
  return { rule, edits: [edit(left, right), edit(right, left)] }
}

const between = (left: Span, right: Span): Span => ({ start: left.end, end: right.start })

/** The compiler counts the semicolon of an emit and of an expression to the block. */
const statement = ({ nodeType, start, end }: SolidityNode): Span => ({
  start,
  end: nodeType.startsWith('Yul') ? end : end + 1,
})
