import { type Analysis, analyseSolidity, type SolidityNode } from './syntax.ts'

/** A change of a source, at one or two places, that a test has to notice. */
export type Mutation = {
  readonly file: string
  /** What kind of mistake it is. */
  readonly rule: string
  /** From 1. */
  readonly line: number
  /** The lines that it touches, before and after, each without what space stands around it. */
  readonly before: string
  readonly after: string
  readonly edits: readonly Edit[]
}

/** Bytes of the source, and what comes in their place. */
type Edit = { start: number; end: number; text: string }

/** What the rules know of the contract that a node stands in. */
type Scope = {
  source: Buffer
  /** Modifiers without arguments that the contract's functions use. */
  modifiers: ReadonlySet<string>
  /** Conditions that privilege an actor: he is the owner, or stands in a list. */
  privileges: (actor: string) => string[]
  /** Variables that hold the account of a role. */
  roles: ReadonlySet<string>
  /** The caller, in the contract's own words. */
  caller: string
  /** Functions that reach another contract, by the number of their declaration. */
  interacting: ReadonlySet<number>
  fn: SolidityNode | undefined
}

type Found = { rule: string; edits: Edit[] }
type Rule = (node: SolidityNode, scope: Scope) => Found[]

const swapped: Readonly<Record<string, string>> = {
  ...{ '<': '<=', '>': '>=', '<=': '<', '>=': '>', '==': '!=', '!=': '==' },
  ...{ '+': '-', '-': '+', '*': '/', '/': '*', '%': '/', '<<': '>>', '>>': '<<' },
  ...{ '&': '|', '|': '&', '&&': '||', '||': '&&' },
}

const rules: readonly Rule[] = [
  operators,
  assignments,
  literals,
  booleans,
  argumentsOfCalls,
  callers,
  outcomes,
  modifiers,
  guards,
  authorisations,
  statements,
  order,
  assembly,
]

/** All mutations of the contracts in these files, file by file in the order of its lines. */
export function mutationsOf(files: readonly string[]): Mutation[] {
  return analyseSolidity(files).flatMap(mutationsIn)
}

function mutationsIn({ file, source, tree, all: sources }: Analysis): Mutation[] {
  const contracts = sources.flatMap(children).filter(isContract)
  const found = children(tree)
    .filter((node) => isContract(node) && node.contractKind !== 'interface')
    .flatMap((contract) => walk(contract, scopeOf(contract, basesOf(contract, contracts), source)))
  const all = found.map(({ rule, edits }) => describe(file, source, rule, edits))
  const unique = new Map(all.map((each) => [`${each.edits[0]?.start} ${each.after}`, each]))
  return [...unique.values()]
    .filter(({ before, after }) => before !== after)
    .sort((a, b) => a.line - b.line)
}

/** The source with the mutation in it. */
export function mutate(source: Buffer, { edits }: Pick<Mutation, 'edits'>): Buffer {
  return [...edits]
    .sort((a, b) => b.start - a.start)
    .reduce(
      (changed, { start, end, text }) =>
        Buffer.concat([changed.subarray(0, start), Buffer.from(text), changed.subarray(end)]),
      source,
    )
}

function walk(node: SolidityNode, scope: Scope): Found[] {
  const inner =
    node.nodeType === 'FunctionDefinition' || node.nodeType === 'ModifierDefinition'
      ? { ...scope, fn: node }
      : scope
  // Declarations say what there is, and the compiler holds them to it.
  if (['StructDefinition', 'EventDefinition', 'ErrorDefinition'].includes(node.nodeType)) return []
  if (['ElementaryTypeName', 'ArrayTypeName', 'Mapping'].includes(node.nodeType)) return []
  return [
    ...rules.flatMap((rule) => rule(node, inner)),
    ...children(node).flatMap((child) => walk(child, inner)),
  ]
}

// Expressions

function operators(node: SolidityNode, scope: Scope): Found[] {
  if (node.nodeType !== 'BinaryOperation') return []
  const [left, right] = [part(node, 'leftExpression'), part(node, 'rightExpression')]
  const other = swapped[String(node.operator)]
  const between = { start: spanOf(left).end, end: spanOf(right).start }
  const isLogic = node.operator === '&&' || node.operator === '||'
  return [
    ...(other === undefined ? [] : [one('operator', { ...between, text: ` ${other} ` })]),
    ...(isLogic
      ? [left, right].map((side) =>
          one('half a condition', { ...spanOf(node), text: textOf(side, scope) }),
        )
      : []),
  ]
}

function assignments(node: SolidityNode, scope: Scope): Found[] {
  if (node.nodeType !== 'Assignment' || node.operator === '=') return []
  const [left, right] = [part(node, 'leftHandSide'), part(node, 'rightHandSide')]
  const between = { start: spanOf(left).end, end: spanOf(right).start }
  const { operator } = node
  const others = { '+=': ['-=', '='], '-=': ['+=', '='] }[String(operator)] ?? []
  return scope.fn === undefined
    ? []
    : others.map((other) => one('assignment', { ...between, text: ` ${other} ` }))
}

function literals(node: SolidityNode, scope: Scope): Found[] {
  if (node.nodeType !== 'Literal' || node.kind !== 'number') return []
  const text = textOf(node, scope)
  const number = /^[\d_]+(?=( \w+)?$)/.exec(text)?.[0]
  if (number === undefined) return []
  const next = `${Number(number.replaceAll('_', '')) + 1}${text.slice(number.length)}`
  return [one('number', { ...spanOf(node), text: next })]
}

function booleans(node: SolidityNode, scope: Scope): Found[] {
  if (node.nodeType === 'Literal' && node.kind === 'bool') {
    return [one('boolean', { ...spanOf(node), text: node.value === 'true' ? 'false' : 'true' })]
  }
  if (node.nodeType === 'UnaryOperation' && node.operator === '!') {
    const inner = textOf(part(node, 'subExpression'), scope)
    return [one('boolean', { ...spanOf(node), text: inner })]
  }
  if (node.nodeType !== 'Conditional') return []
  const [yes, no] = [part(node, 'trueExpression'), part(node, 'falseExpression')]
  const exchanged = [
    { ...spanOf(yes), text: textOf(no, scope) },
    { ...spanOf(no), text: textOf(yes, scope) },
  ]
  return [{ rule: 'boolean', edits: exchanged }]
}

/** An argument by zero, and two of one type in the wrong order. */
function argumentsOfCalls(node: SolidityNode, scope: Scope): Found[] {
  if (node.nodeType !== 'FunctionCall' || node.kind !== 'functionCall') return []
  const given = parts(node, 'arguments')
  const zeros = given.flatMap((argument) => {
    const zero = /^u?int\d+$/.test(typeOf(argument)) ? '0' : undefined
    const nobody = /^address( payable)?$/.test(typeOf(argument)) ? 'payable(address(0))' : zero
    return nobody === undefined
      ? []
      : [one('argument by zero', { ...spanOf(argument), text: nobody })]
  })
  const exchanges = given.slice(1).flatMap((right, index) => {
    const left = given[index]
    if (left === undefined || typeOf(left) !== typeOf(right)) return []
    const [first, second] = [textOf(left, scope), textOf(right, scope)]
    const edits = [
      { ...spanOf(left), text: second },
      { ...spanOf(right), text: first },
    ]
    return [{ rule: 'arguments exchanged', edits }]
  })
  return [...zeros, ...exchanges]
}

/** The account that calls is not always the one that is spoken for. */
function callers(node: SolidityNode, scope: Scope): Found[] {
  const text = node.nodeType === 'FunctionCall' ? textOf(node, scope) : ''
  return text === '_msgSender()' ? [one('caller', { ...spanOf(node), text: 'msg.sender' })] : []
}

function outcomes(node: SolidityNode, scope: Scope): Found[] {
  const value =
    node.nodeType === 'Return'
      ? node.expression
      : node.nodeType === 'Assignment' && node.operator === '='
        ? node.rightHandSide
        : undefined
  if (!isNode(value)) return []
  if (typeOf(value) === 'bool' && node.nodeType === 'Return') {
    return ['true', 'false'].map((text) => one('outcome', { ...spanOf(value), text }))
  }
  if (!/^enum /.test(typeOf(value)) || value.nodeType !== 'MemberAccess') return []
  const text = textOf(value, scope) === 'Status.Skipped' ? 'Status.Failed' : 'Status.Skipped'
  return [one('outcome', { ...spanOf(value), text })]
}

// Guards

/** One that is missing, one that is another, and one too many. */
function modifiers(node: SolidityNode, scope: Scope): Found[] {
  if (node.nodeType !== 'FunctionDefinition' || node.kind !== 'function') return []
  const invocations = parts(node, 'modifiers').filter(({ kind }) => kind === 'modifierInvocation')
  const has = invocations.map((invocation) => textOf(invocation, scope))
  const removed = invocations.map((invocation) => {
    const { start, end } = spanOf(invocation)
    return one('guard missing', { start: start - 1, end, text: '' })
  })
  const others = invocations.flatMap((invocation) =>
    [...scope.modifiers]
      .filter((name) => /^only/.test(name) && /^only/.test(textOf(invocation, scope)))
      .map((text) => one('guard of others', { ...spanOf(invocation), text })),
  )
  const isOpen = ['external', 'public'].includes(String(node.visibility))
  const writes = ['nonpayable', 'payable'].includes(String(node.stateMutability))
  if (!isOpen || !writes || !isNode(node.body)) return [...removed, ...others]
  const { start } = spanOf(part(node, 'body'))
  const added = [...scope.modifiers]
    .filter((name) => !has.includes(name))
    .map((name) => one('guard too many', { start, end: start, text: `${name} ` }))
  return [...removed, ...others, ...added]
}

/** A guard that lets one through who holds some other power, or stops that one. */
function guards(node: SolidityNode, scope: Scope): Found[] {
  if (node.nodeType !== 'IfStatement') return []
  const condition = part(node, 'condition')
  const [span, text] = [spanOf(condition), textOf(condition, scope)]
  const constants = ['true', 'false'].map((value) => one('condition', { ...span, text: value }))
  if (!endsThere(part(node, 'trueBody'))) return constants
  const actor = actorIn(scope)
  return [
    ...constants,
    ...scope
      .privileges(actor)
      .map((privilege) => one('backdoor', { ...span, text: `(${text}) && !(${privilege})` })),
    ...scope
      .privileges(actor)
      .slice(0, 1)
      .map((privilege) => one('guard too many', { ...span, text: `(${text}) || (${privilege})` })),
  ]
}

/** Where two accounts have to be the same, one of them may as well hold some other power. */
function authorisations(node: SolidityNode, scope: Scope): Found[] {
  if (node.nodeType !== 'BinaryOperation' || !['==', '!='].includes(String(node.operator)))
    return []
  const sides = [part(node, 'leftExpression'), part(node, 'rightExpression')]
  if (!sides.every((side) => /^address/.test(typeOf(side)))) return []
  const [text, [left, right]] = [textOf(node, scope), sides.map((side) => textOf(side, scope))]
  const same = [`${left} == ${right}`, `${right} == ${left}`]
  return (
    sides
      .filter(({ nodeType }) => nodeType === 'Identifier' || nodeType === 'MemberAccess')
      // A role is no actor: it says who may.
      .filter((side) => !scope.roles.has(textOf(side, scope)))
      .flatMap((side) => scope.privileges(textOf(side, scope)))
      .filter((privilege) => !same.includes(privilege))
      .map((privilege) => {
        const change =
          node.operator === '==' ? `(${text} || ${privilege})` : `(${text} && !(${privilege}))`
        return one('backdoor', { ...spanOf(node), text: change })
      })
  )
}

// Statements

/** One that is gone: a check, an effect, an event. */
function statements(node: SolidityNode): Found[] {
  const kinds = ['ExpressionStatement', 'EmitStatement', 'YulExpressionStatement', 'YulIf']
  if (node.nodeType === 'ExpressionStatement') {
    // A loop that does not go on ends nowhere, and that takes minutes to notice.
    const inner = part(node, 'expression')
    if (inner.nodeType === 'UnaryOperation') return []
  }
  return kinds.includes(node.nodeType)
    ? [one('statement gone', { ...statementSpan(node), text: '' })]
    : []
}

/** What has to happen before another contract is reached happens after it. */
function order(node: SolidityNode, scope: Scope): Found[] {
  if (node.nodeType !== 'Block') return []
  const list = parts(node, 'statements')
  return list.flatMap((late, index) => {
    if (!interacts(late, scope.interacting)) return []
    const { end } = statementSpan(late)
    return list
      .slice(0, index)
      .filter(({ nodeType }) => nodeType === 'ExpressionStatement' || nodeType === 'EmitStatement')
      .map((early) => {
        const span = statementSpan(early)
        const moved = ` ${scope.source.toString('utf8', span.start, span.end)}`
        return {
          rule: 'order',
          edits: [
            { ...span, text: '' },
            { start: end, end, text: moved },
          ],
        }
      })
  })
}

function assembly(node: SolidityNode, scope: Scope): Found[] {
  if (node.nodeType === 'YulAssignment') {
    return [one('statement gone', { ...spanOf(node), text: '' })]
  }
  if (node.nodeType === 'YulLiteral' && textOf(node, scope) === '0x3f') {
    return [one('number', { ...spanOf(node), text: '0x1f' })]
  }
  if (node.nodeType !== 'YulFunctionCall') return []
  const name = part(node, 'functionName')
  if (name.name === 'gt') return [one('operator', { ...spanOf(name), text: 'lt' })]
  const [first] = parts(node, 'arguments')
  return name.name === 'call' && first !== undefined
    ? ['gas()', '0'].map((text) => one('argument by zero', { ...spanOf(first), text }))
    : []
}

// What the rules ask of the tree

function isContract({ nodeType }: SolidityNode): boolean {
  return nodeType === 'ContractDefinition'
}

/** A contract's bases and itself. */
function basesOf(contract: SolidityNode, all: readonly SolidityNode[]): SolidityNode[] {
  const { linearizedBaseContracts: ids } = contract
  return all.filter(({ id }) => Array.isArray(ids) && ids.includes(id))
}

function scopeOf(contract: SolidityNode, bases: readonly SolidityNode[], source: Buffer): Scope {
  const known = bases.flatMap(children)
  const functions = children(contract).filter(({ nodeType }) => nodeType === 'FunctionDefinition')
  const bare = { source, fn: undefined } as const
  const used = functions
    .flatMap((fn) => parts(fn, 'modifiers'))
    .filter(({ kind }) => kind === 'modifierInvocation')
    .map((invocation) => source.toString('utf8', ...ends(invocation)))
  const isLibrary = contract.contractKind === 'library'
  const knowsOwner = known.some(
    (each) => each.nodeType === 'FunctionDefinition' && each.name === 'owner',
  )
  const isForwarded = /\b_msgSender\(\)/.test(source.toString('utf8'))
  const variables = known.filter(
    (each) =>
      each.nodeType === 'VariableDeclaration' &&
      each.visibility !== 'private' &&
      each.mutability === 'mutable',
  )
  const roles = variables.filter((each) => typeOf(each) === 'address')
  const privileges = (actor: string) => [
    ...(knowsOwner ? [`${actor} == owner()`] : []),
    ...roles.map((each) => `${actor} == ${each.name}`),
    ...variables
      .filter((each) => typeOf(each) === 'mapping(address => bool)')
      .map((each) => `${each.name}[${actor}]`),
  ]
  return {
    ...bare,
    modifiers: new Set(used.filter((name) => !name.includes('('))),
    privileges: isLibrary ? () => [] : privileges,
    roles: new Set(roles.map(({ name }) => String(name))),
    caller: isForwarded ? '_msgSender()' : 'msg.sender',
    interacting: interactingFunctions(functions),
  }
}

/** Who asks: the signer where a request is judged, else the caller. */
function actorIn({ fn, caller }: Scope): string {
  const given = fn === undefined ? [] : parts(part(fn, 'parameters'), 'parameters')
  return given.some(({ name }) => name === 'request') ? 'request.from' : caller
}

/** A statement after which the function does not go on. */
function endsThere(body: SolidityNode): boolean {
  const inner = body.nodeType === 'Block' ? parts(body, 'statements').at(-1) : body
  return inner?.nodeType === 'RevertStatement' || inner?.nodeType === 'Return'
}

/** Functions that make a low-level call, and those that call them. */
function interactingFunctions(functions: readonly SolidityNode[]): ReadonlySet<number> {
  const found = new Set<number>()
  for (;;) {
    const before = found.size
    for (const fn of functions) if (interacts(fn, found)) found.add(Number(fn.id))
    if (found.size === before) return found
  }
}

function interacts(node: SolidityNode, known: ReadonlySet<number>): boolean {
  if (node.nodeType === 'YulFunctionCall') return part(node, 'functionName').name === 'call'
  if (node.nodeType === 'FunctionCall' && isNode(node.expression)) {
    const { memberName, referencedDeclaration } = node.expression
    if (/^(call|send)/.test(String(memberName ?? ''))) return true
    if (
      / external/.test(typeOf(node.expression)) &&
      !/ (view|pure) /.test(typeOf(node.expression))
    ) {
      return true
    }
    if (known.has(Number(referencedDeclaration))) return true
  }
  return children(node).some((child) => interacts(child, known))
}

function describe(file: string, source: Buffer, rule: string, edits: readonly Edit[]): Mutation {
  const first = Math.min(...edits.map(({ start }) => start))
  const last = Math.max(...edits.map(({ end }) => end))
  const begin = source.lastIndexOf('\n', first - 1) + 1
  const end = source.indexOf('\n', last)
  const lines = source.subarray(begin, end)
  const moved = edits.map((each) => ({ ...each, start: each.start - begin, end: each.end - begin }))
  const line = source.subarray(0, begin).toString('utf8').split('\n').length
  const after = mutate(lines, { edits: moved })
  return { file, rule, line, before: squeezed(lines), after: squeezed(after), edits }
}

function squeezed(lines: Buffer): string {
  return lines.toString('utf8').trim().replaceAll(/\s+/g, ' ')
}

function one(rule: string, edit: Edit): Found {
  return { rule, edits: [edit] }
}

function statementSpan(node: SolidityNode): { start: number; end: number } {
  const { start, end } = spanOf(node)
  // The compiler counts the semicolon of an emit and of an expression to the block.
  return node.nodeType.startsWith('Yul') ? { start, end } : { start, end: end + 1 }
}

function ends(node: SolidityNode): [start: number, end: number] {
  const [start = 0, length = 0] = String(node.src).split(':').map(Number)
  return [start, start + length]
}

function spanOf(node: SolidityNode): { start: number; end: number } {
  const [start, end] = ends(node)
  return { start, end }
}

function textOf(node: SolidityNode, { source }: Pick<Scope, 'source'>): string {
  return source.toString('utf8', ...ends(node))
}

function typeOf(node: SolidityNode): string {
  const types = node.typeDescriptions
  return typeof types === 'object' && types !== null && 'typeString' in types
    ? String(types.typeString)
    : ''
}

function part(node: SolidityNode, name: string): SolidityNode {
  const found = node[name]
  if (!isNode(found)) throw new Error(`${node.nodeType} has no ${name}`)
  return found
}

function parts(node: SolidityNode, name: string): SolidityNode[] {
  const found = node[name]
  return Array.isArray(found) ? found.filter(isNode) : []
}

function children(node: SolidityNode): SolidityNode[] {
  return Object.values(node).flatMap((value) =>
    Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : [],
  )
}

function isNode(value: unknown): value is SolidityNode {
  return typeof value === 'object' && value !== null && 'nodeType' in value
}
