import { build } from 'esbuild'
import { describe, expect, test } from 'vitest'
import { parseAst } from 'vitest/node'
import access from '../../local/deploy/access.json' with { type: 'json' }
import { functionNames } from '../harness/functions.ts'

/**
 * What each function could come to ask of the table and the bucket, from its code alone: every statement at the top of a
 * module that its handler leads to, by name. What it reaches and may not do is a hole in its role that no test has come by,
 * unless it is said here why it never does.
 */
const granted: Readonly<Record<string, readonly string[]>> = access

/** How a statement says what it asks for. */
const marks: Readonly<Record<string, RegExp>> = {
  'dynamodb:GetItem Table': /new GetCommand\(/,
  'dynamodb:BatchGetItem Table': /new BatchGetCommand\(/,
  'dynamodb:PutItem Table': /new PutCommand\(|\bPut: \{/,
  'dynamodb:UpdateItem Table': /new UpdateCommand\(|\bUpdate: \{/,
  'dynamodb:DeleteItem Table': /new DeleteCommand\(|\bDelete: \{/,
  'dynamodb:ConditionCheckItem Table': /\bConditionCheck: \{/,
  'dynamodb:BatchWriteItem Table': /new BatchWriteCommand\(/,
  'dynamodb:Query Table': /new QueryCommand\(/,
  'dynamodb:Scan Table': /new ScanCommand\(/,
  ...Object.fromEntries(
    ['gsi1', 'gsi2', 'gsi3', 'gsi4'].map((name) => [
      `dynamodb:Query Table/index/${name}`,
      new RegExp(`\\bindex: "${name}"`),
    ]),
  ),
  's3:GetObject': /new (Get|Head|Copy)ObjectCommand\(|^function presignedGet\(/,
  's3:PutObject': /new (PutObject|CopyObject|CreateMultipartUpload)Command\(|^function postFields\(/,
  's3:DeleteObject': /new DeleteObjectCommand\(/,
  's3:ListBucket': /new (ListObjectsV2|HeadBucket|GetObject|HeadObject)Command\(/,
}

const unmarked = 'BatchGetItem: no merge marks what it reads'
const onlyIndexes = 'Query: its lists are in indexes'
const uncounted = 'UpdateItem: what it writes is counted in no list and makes no cached answer stale'
/** What is reached and never asked for, by function, with the reason. */
const never: Readonly<Record<string, readonly string[]>> = {
  'asset-files': [unmarked, uncounted],
  documents: [unmarked],
  exports: [unmarked],
  notifications: [onlyIndexes],
  ocr: [uncounted],
  'profile-images': [unmarked],
  records: ['Query/index/gsi2: it lists one kind', 'Query/index/gsi3: it lists one kind'],
  registry: [unmarked],
  users: [onlyIndexes],
  webhooks: [unmarked, onlyIndexes, uncounted],
}

describe('a function may do whatever its code leads to', () => {
  test.each(functionNames().filter((name) => name !== 'dispatcher'))('%s', async (name) => {
    const reached = await reachOf(name)
    expect(reached.length).toBeGreaterThan(0)
    const may = granted[name] ?? []
    const lacking = reached.filter((use) => !may.some((one) => one === use || one.startsWith(`${use} `)))
    const excused = (never[name] ?? []).map((line) => line.split(':')[0])
    expect(lacking.map((use) => use.replace('dynamodb:', '').replace(' Table', '')).sort()).toEqual(excused.sort())
  })
})

test('the dispatcher leads to neither: it calls functions', async () => {
  expect(await reachOf('dispatcher')).toEqual([])
})

test('reach is what a handler leads to, however far, and no more', async () => {
  expect(await reachOf('roles')).toContain('dynamodb:BatchWriteItem Table')
  expect(await reachOf('assets')).toContain('s3:PutObject')
  expect(await reachOf('documents')).not.toContain('dynamodb:Scan Table')
})

type Node = { type: string; start: number; end: number; [member: string]: unknown }
type Statement = { names: string[]; text: string; mentions: Set<string> }

/** What the statements that a function's handler leads to ask for. A name inside a statement that hides one outside counts as that one. */
async function reachOf(name: string): Promise<string[]> {
  const { outputFiles } = await build({
    ...{ entryPoints: [`functions/${name}.ts`], bundle: true, write: false },
    ...{ platform: 'node', format: 'esm', packages: 'external' },
  })
  const code = outputFiles[0]?.text ?? ''
  const statements = parseAst(code).body.map((node) => statementOf(node as unknown as Node, code))
  const owner = new Map(statements.flatMap((one) => one.names.map((each) => [each, one])))
  const reached = new Set<Statement>()
  const waiting = [owner.get('handler')]
  for (let one = waiting.pop(); one; one = waiting.pop()) {
    if (reached.has(one)) continue
    reached.add(one)
    for (const mentioned of one.mentions) {
      const next = owner.get(mentioned)
      if (next && !reached.has(next)) waiting.push(next)
    }
  }
  const texts = [...reached].map(({ text }) => text)
  return Object.keys(marks).filter((use) => texts.some((text) => marks[use]?.test(text)))
}

function statementOf(node: Node, code: string): Statement {
  const declared = [node.id, ...listOf(node.declarations).map(({ id }) => id)].filter(isNode)
  return {
    names: declared.flatMap((it) => [...namesIn(it)]),
    text: code.slice(node.start, node.end),
    mentions: new Set(/^(Import|Export)/.test(node.type) ? [] : namesIn(node)),
  }
}

/** The names in a part of a program, without those of members. */
function* namesIn(node: Node): Generator<string> {
  if (node.type === 'Identifier') yield String(node.name)
  for (const [member, value] of Object.entries(node)) {
    const isMember =
      (node.type === 'MemberExpression' && member === 'property') || (node.type === 'Property' && member === 'key')
    if (isMember && !node.computed) continue
    for (const each of [value].flat()) if (isNode(each)) yield* namesIn(each)
  }
}

const isNode = (it: unknown): it is Node => typeof it === 'object' && it !== null && 'type' in it
const listOf = (it: unknown): Node[] => (Array.isArray(it) ? it : [])
