import { AsyncLocalStorage } from 'node:async_hooks'
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
import { noteDenial, noteUse } from './rights.ts'

/**
 * Has every function under test act in its own name, though all share a process: whatever its handler asks of the table
 * and the bucket is signed with it, and held to the role that the template gives that function.
 */
export function actingFunctions(): Plugin {
  return {
    name: 'acting-functions',
    enforce: 'pre',
    transform(code, id) {
      if (id.endsWith('/lib/engines/bucket/presign.ts')) return signing(code)
      const file = /\/functions\/[\w-]+\.ts$/.exec(id)?.[0]
      if (!file) return undefined
      const inner = code.replace(/^export (const|async function) handler\b/m, '$1 unnamed')
      if (inner === code) throw new Error(`${file} exports no handler that can act in a name`)
      return `${inner}\nimport { acting } from ${here}\nexport const handler = acting(${JSON.stringify(basename(file, '.ts'))}, unnamed)\n`
    },
  }
}

const here = JSON.stringify(join(import.meta.dirname, 'acting.ts'))

/** The module that signs addresses and forms: no request is made, yet S3 will ask for the rights of who signed. */
function signing(code: string): string {
  const inner = code.replace(/^export function (presignedGet|postFields)\b/gm, 'function unnamed_$1')
  return `${inner}
    import { inOwnName } from ${here}
    export const presignedGet = (base, query, seconds, by) => unnamed_presignedGet(base, query, seconds, inOwnName(by))
    export const postFields = (rule, by) => unnamed_postFields(rule, inOwnName(by))
  `
}

const running = new AsyncLocalStorage<string>()

/** The handler, with all that it asks of AWS asked in its name. */
export function acting<Given extends readonly unknown[], T>(name: string, handler: (...given: Given) => T) {
  stand()
  return (...given: Given): T => running.run(name, () => handler(...given))
}

type Signer = { credentials: { accessKeyId: string } }

/** Whoever signs, by the name of the function that runs. */
export function inOwnName<T extends Signer>(by: T): T {
  const name = running.getStore()
  return name === undefined ? by : { ...by, credentials: { ...by.credentials, accessKeyId: name } }
}

type Wire = { method: string; headers: Record<string, string>; body?: unknown }
type Handle = (this: object, request: Wire, options?: unknown) => Promise<{ response: object }>
let standing = false

/** Every request of every client passes here, signed. The bucket has a gate of its own, which judges addresses too. */
function stand(): void {
  if (standing) return
  standing = true
  const client = new DynamoDBClient({ region: 'us-east-1' })
  // The SDK's own sender, and that of the table.
  for (const sender of [Object.getPrototypeOf(client.config.requestHandler), HttpHandler.prototype]) standBefore(sender)
}

function standBefore(sender: { handle: Handle }): void {
  const inner = sender.handle
  sender.handle = function (request, options) {
    const name = running.getStore()
    if (name === undefined) return inner.call(this, request, options)
    const { headers } = request
    headers.authorization = headers.authorization?.replace(/Credential=[^/]+/, `Credential=${name}`) ?? ''
    const denied = headers['x-amz-target'] === undefined ? undefined : judged(request)
    return denied
      ? Promise.resolve({ response: responseOf(denied, this instanceof HttpHandler) })
      : inner.call(this, request, options)
  }
}

const record = newAccessRecord()

function judged({ method, headers, body }: Wire): RefusalReply | undefined {
  const asked = { method, path: '/', query: {}, headers, body: textOf(body) }
  const signer = signerOfRequest(asked)
  const wordsOf = ({ action, resource }: Need) => `${signer} ${action} ${resource}`
  const { roles, allowed } = rights(process.env.TABLE_NAME ?? '')
  const fresh = needsOfTarget(asked).filter((need) => !allowed.has(wordsOf(need)))
  const need = refusal(roles, signer, fresh, record)
  if (need) {
    noteDenial(signer ?? 'nobody', need.action, need.resource)
    return deniedTarget(signer, need)
  }
  for (const each of fresh) {
    allowed.add(wordsOf(each))
    noteUse(signer ?? 'nobody', each.action, each.resource)
  }
  return undefined
}

/** The SDK warns of whoever takes its bytes for text. */
const textOf = (body: unknown) => (body instanceof Uint8Array ? new TextDecoder().decode(body) : String(body))

/** As the SDK's sender answers, and as the table's does. */
const responseOf = ({ status, headers, body }: RefusalReply, isTable: boolean) =>
  new HttpResponse({ statusCode: status, headers, body: isTable ? Buffer.from(body) : Readable.from([body]) })

/** What functions may do with a table, and what they have been allowed: who may once may always. */
type Rights = { roles: Roles; allowed: Set<string> }

function rights(table: string): Rights {
  const found = byTable.get(table)
  if (found) return found
  const bucket = process.env.BUCKET_NAME ?? ''
  const roles = rolesFor(JSON.parse(readFileSync(process.env.ROLES ?? '', 'utf8')), { table, bucket })
  const made = { roles, allowed: new Set<string>() }
  byTable.set(table, made)
  return made
}

const byTable = new Map<string, Rights>()
