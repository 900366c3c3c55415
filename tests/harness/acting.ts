import { AsyncLocalStorage } from 'node:async_hooks'
import type { Argon2Algorithm, Argon2Parameters } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { Readable } from 'node:stream'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { HttpResponse } from '@smithy/core/protocols'
import type { Plugin } from 'vitest/config'
import { deniedTarget, newAccessRecord, type RefusalReply, type Roles, refusal } from '../../deploy/access/judge.ts'
import { rolesFor } from '../../deploy/access/local-roles.ts'
import type { Need } from '../../deploy/access/policy.ts'
import { needsOfTarget, signerOfRequest } from '../../deploy/access/requests.ts'
import { HttpHandler } from '../../lib/engines/table/wire/http-handler.ts'
import { keptByProcess } from './kept.ts'
import { noteDenial, noteUse } from './rights.ts'

/**
 * Makes each function under test act under its own role, though all share one process. The calls of its handler to table and bucket are
 * signed with the name of the function. They must be allowed by the role that the template gives it.
 */
export function actingFunctions(): Plugin {
  return {
    name: 'acting-functions',
    enforce: 'pre',
    transform(code, id) {
      if (id.endsWith('/lib/engines/bucket/presign.ts')) return wrapPresign(code)
      if (id.endsWith('/lib/platform/users/password.ts')) return rememberHashes(code)
      const file = /\/functions\/[\w-]+\.ts$/.exec(id)?.[0]
      if (!file) return undefined
      const fault = `${file} exports no handler that can be wrapped`
      const inner = replaced(code, /^export (const|async function) handler\b/m, '$1 unnamed', fault)
      return `${inner}\nimport { runAsFunction } from ${here}\nexport const handler = runAsFunction(${JSON.stringify(basename(file, '.ts'))}, unnamed)\n`
    },
  }
}

const here = JSON.stringify(join(import.meta.dirname, 'acting.ts'))

/** The code with one part replaced. Fails with the sentence `fault` if the part is not there. */
function replaced(code: string, part: string | RegExp, by: string, fault: string): string {
  const inner = code.replace(part, by)
  if (inner === code) throw new Error(fault)
  return inner
}

/** Wraps the module that presigns addresses and forms. It makes no request, but S3 later checks the rights of the signer. */
function wrapPresign(code: string): string {
  const inner = code.replace(/^export function (presignedGet|postFields)\b/gm, 'function unnamed_$1')
  return `${inner}
    import { asRunningFunction } from ${here}
    export const presignedGet = (base, query, seconds, by) => unnamed_presignedGet(base, query, seconds, asRunningFunction(by))
    export const postFields = (rule, by) => unnamed_postFields(rule, asRunningFunction(by))
  `
}

/** Lets a process derive each password once. Many people have one password, and deriving is slow on purpose. */
function rememberHashes(code: string): string {
  const fault = 'lib/platform/users/password.ts makes its hashes otherwise'
  const derived = replaced(code, 'promisify(argon2)', 'remembered(promisify(argon2))', fault)
  const inner = replaced(derived, 'nonce = randomBytes(16)', 'nonce = oneSalt(randomBytes(16))', fault)
  return `import { oneSalt, remembered } from ${here}\n${inner}`
}

/** The salt of all new hashes of this process, so that equal passwords have equal hashes. With `FRESH_SALTS` it is the given one. */
export const oneSalt = (given: Buffer): Buffer => (process.env.FRESH_SALTS ? given : keptByProcess('salt', () => given))

type Derive = (algorithm: Argon2Algorithm, how: Argon2Parameters) => Promise<NonSharedBuffer>

/** Answers what it has answered before to the same password, salt and cost. */
export function remembered(derive: Derive): Derive {
  const known = keptByProcess('hashes', () => new Map<string, Promise<NonSharedBuffer>>())
  return (algorithm, how) => {
    const asked = JSON.stringify([algorithm, how])
    const hash = known.get(asked) ?? derive(algorithm, how)
    known.set(asked, hash)
    return hash
  }
}

const running = new AsyncLocalStorage<string>()

/** Wraps a handler, so that its calls to AWS are signed with the name of its function. */
export function runAsFunction<Given extends readonly unknown[], T>(name: string, handler: (...given: Given) => T) {
  installGate()
  return (...given: Given): T => running.run(name, () => handler(...given))
}

type Signer = { credentials: { accessKeyId: string } }

/** The signer, with the name of the running function as its access key. Outside of a function it stays as it is. */
export function asRunningFunction<T extends Signer>(by: T): T {
  const name = running.getStore()
  return name === undefined ? by : { ...by, credentials: { ...by.credentials, accessKeyId: name } }
}

type Wire = { method: string; headers: Record<string, string>; body?: unknown }
type Handle = (this: object, request: Wire, options?: unknown) => Promise<{ response: object }>
const undo: (() => void)[] = []

/** Installs the gate that each signed request of any client passes, once. The S3 server has its own gate, which checks presigned addresses too. */
function installGate(): void {
  if (undo.length > 0) return
  const client = new DynamoDBClient({ region: 'us-east-1' })
  // The HTTP handler of the SDK, and the one of lib/engines/table.
  for (const sender of [Object.getPrototypeOf(client.config.requestHandler), HttpHandler.prototype])
    undo.push(installBefore(sender))
}

/** Takes the gate away. The next file of this process has its own. */
export function removeGate(): void {
  for (const each of undo.splice(0)) each()
}

function installBefore(sender: { handle: Handle }): () => void {
  const inner = sender.handle
  sender.handle = function (request, options) {
    const name = running.getStore()
    if (name === undefined) return inner.call(this, request, options)
    const { headers } = request
    headers.authorization = headers.authorization?.replace(/Credential=[^/]+/, `Credential=${name}`) ?? ''
    const denied = headers['x-amz-target'] === undefined ? undefined : refusalOf(request)
    return denied
      ? Promise.resolve({ response: responseOf(denied, this instanceof HttpHandler) })
      : inner.call(this, request, options)
  }
  return () => {
    sender.handle = inner
  }
}

const record = newAccessRecord()

/** Returns the refusal if the role of the signer does not allow a request to the table. */
function refusalOf({ method, headers, body }: Wire): RefusalReply | undefined {
  const asked = { method, path: '/', query: {}, headers, body: textOf(body) }
  const signer = signerOfRequest(asked)
  const lineOf = ({ action, resource }: Need) => `${signer} ${action} ${resource}`
  const { roles, allowed } = rights(process.env.TABLE_NAME ?? '')
  const fresh = needsOfTarget(asked).filter((need) => !allowed.has(lineOf(need)))
  const need = refusal(roles, signer, fresh, record)
  if (need) {
    noteDenial(signer ?? 'nobody', need.action, need.resource)
    return deniedTarget(signer, need)
  }
  for (const each of fresh) {
    allowed.add(lineOf(each))
    noteUse(signer ?? 'nobody', each.action, each.resource)
  }
  return undefined
}

/** The text of a body. `String` of the SDK's bytes would log a warning. */
const textOf = (body: unknown) => (body instanceof Uint8Array ? new TextDecoder().decode(body) : String(body))

/** The response in the form of the SDK's handler, or of the table's. */
const responseOf = ({ status, headers, body }: RefusalReply, isTable: boolean) =>
  new HttpResponse({ statusCode: status, headers, body: isTable ? Buffer.from(body) : Readable.from([body]) })

/** The roles of functions on a table, and the requests that were allowed before, which need no second check. */
type Rights = { roles: Roles; allowed: Set<string> }

function rights(table: string): Rights {
  const known = byTable.get(table)
  if (known) return known
  const bucket = process.env.BUCKET_NAME ?? ''
  const roles = rolesFor(JSON.parse(readFileSync(process.env.ROLES ?? '', 'utf8')), { table, bucket })
  const added = { roles, allowed: new Set<string>() }
  byTable.set(table, added)
  return added
}

const byTable = new Map<string, Rights>()
