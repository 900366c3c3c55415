import { AsyncLocalStorage } from 'node:async_hooks'
import { appendFileSync, mkdirSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { $Command } from '@aws-sdk/client-dynamodb'
import type { Plugin } from 'vitest/config'

/**
 * Has every function under test say which actions on which resources it uses, one `function action resource` on a line
 * of a file in TRACES. The roles are made of what is found there (see local/deploy/access.ts).
 */
export function tracedFunctions(): Plugin {
  // The workers inherit it.
  process.env.TRACES ??= join(import.meta.dirname, '../../.build/traces')
  rmSync(process.env.TRACES, { recursive: true, force: true })
  mkdirSync(process.env.TRACES, { recursive: true })
  return {
    name: 'traced-functions',
    enforce: 'pre',
    transform(code, id) {
      if (id.endsWith('/lib/files/presign.ts')) return tracedSigning(code)
      const file = /\/functions\/[\w-]+\.ts$/.exec(id)?.[0]
      if (!file) return undefined
      const inner = code.replace(/^export (const|async function) handler\b/m, '$1 untraced')
      if (inner === code) throw new Error(`${file} exports no handler that can be traced`)
      const traces = JSON.stringify(join(import.meta.dirname, 'traces.ts'))
      const name = JSON.stringify(basename(file, '.ts'))
      return `${inner}\nimport { traced } from ${traces}\nexport const handler = traced(${name}, untraced)\n`
    },
  }
}

/** The module that signs, in which it is noted what is signed for whom: no command is sent, yet S3 asks for the right to it. */
function tracedSigning(code: string): string {
  const inner = code.replace(/^export function (presignedGet|postFields)\b/gm, 'function untraced_$1')
  const traces = JSON.stringify(join(import.meta.dirname, 'traces.ts'))
  return `${inner}
    import { signs } from ${traces}
    export const presignedGet = signs('GetObject', ({ pathname }) => pathname.split('/')[2], untraced_presignedGet)
    export const postFields = signs('PutObject', ({ key }) => key, untraced_postFields)
  `
}

const running = new AsyncLocalStorage<string>()
const seen = new Set<string>()

/** The handler, with all that it asks of AWS noted under its name. */
export function traced<Given extends readonly unknown[], T>(name: string, handler: (...given: Given) => T) {
  listen()
  return (...given: Given): T => running.run(name, () => handler(...given))
}

/** A function that signs, with what it signs noted under the name of the function that runs: its role is the one that S3 asks. */
export function signs<What, Rest extends readonly unknown[], T>(
  action: string,
  keyOf: (what: What) => string | undefined,
  sign: (what: What, ...rest: Rest) => T,
) {
  return (what: What, ...rest: Rest): T => {
    const name = running.getStore()
    if (name) note(`${name} s3:${action} ${object(keyOf(what))}`)
    return sign(what, ...rest)
  }
}

type Resolve = (this: { input: object; constructor: { name: string } }, ...given: unknown[]) => unknown
let listening = false

/** Every command of every client passes here. */
function listen(): void {
  if (listening) return
  listening = true
  const base: { resolveMiddlewareWithContext: Resolve } = Object($Command.prototype)
  const inner = base.resolveMiddlewareWithContext
  base.resolveMiddlewareWithContext = function (...given) {
    const name = running.getStore()
    if (name)
      for (const use of usesOf(this.constructor.name.replace(/Command$/, ''), this.input)) note(`${name} ${use}`)
    return inner.apply(this, given)
  }
}

function note(line: string): void {
  if (seen.has(line) || !process.env.TRACES) return
  seen.add(line)
  appendFileSync(join(process.env.TRACES, `${process.pid}.txt`), `${line}\n`)
}

type Input = {
  TableName?: string
  IndexName?: string
  Bucket?: string
  Key?: unknown
  CopySource?: string
  QueueUrl?: string
  TransactItems?: readonly object[]
}

/** What a command needs to be allowed, as `action resource`. */
function usesOf(command: string, input: Input): string[] {
  if (input.TransactItems) return input.TransactItems.flatMap((it) => Object.keys(it)).map(inTransaction)
  if (input.QueueUrl) return [`sqs:${command} ${basename(input.QueueUrl)}`]
  if (command === 'GetObject') return [`s3:GetObject ${object(input.Key)}`, MISSING]
  if (command === 'CopyObject')
    return [`s3:GetObject ${object(input.CopySource?.split('/')[1])}`, `s3:PutObject ${object(input.Key)}`]
  if (input.Bucket) return [`s3:${bucketActions[command] ?? command} ${object(input.Key)}`]
  return [`dynamodb:${command} Table${input.IndexName ? `/index/${input.IndexName}` : ''}`]
}

/** A transaction needs the rights of what is in it; there is no action of its own to grant. */
const inTransaction = (part: string) =>
  `dynamodb:${part === 'ConditionCheck' ? 'ConditionCheckItem' : `${part}Item`} Table`

/** Who may not list a bucket is told 403 where there is nothing, not 404. */
const MISSING = 's3:ListBucket Bucket'

const bucketActions: Readonly<Record<string, string>> = {
  HeadBucket: 'ListBucket',
  ListObjectsV2: 'ListBucket',
  HeadObject: 'GetObject',
  CreateMultipartUpload: 'PutObject',
  UploadPart: 'PutObject',
  CompleteMultipartUpload: 'PutObject',
  DeleteObjects: 'DeleteObject',
}

/** By the folder, which is the first part of a key. */
const object = (key: unknown) => (typeof key === 'string' ? `Bucket/${key.split('/')[0]}/*` : 'Bucket')
