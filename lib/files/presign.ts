import { createHash, createHmac } from 'node:crypto'

/** Who signs, and when. */
export type Signer = {
  region: string
  credentials: { accessKeyId: string; secretAccessKey: string; sessionToken?: string | undefined }
  at: Date
}

/**
 * An address that lets whoever has it read one object for a while (AWS Signature 4 in the query). `base` is the object's
 * address. Signing is arithmetic: no call is made.
 */
export function presignedGet(base: URL, query: Readonly<Record<string, string>>, seconds: number, by: Signer): string {
  const members = {
    ...query,
    'X-Amz-Algorithm': ALGORITHM,
    'X-Amz-Content-Sha256': 'UNSIGNED-PAYLOAD',
    'X-Amz-Credential': `${by.credentials.accessKeyId}/${scopeOf(by)}`,
    'X-Amz-Date': stamp(by.at),
    'X-Amz-Expires': String(seconds),
    ...(by.credentials.sessionToken && { 'X-Amz-Security-Token': by.credentials.sessionToken }),
    'X-Amz-SignedHeaders': 'host',
  }
  const canonical = Object.entries(members)
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join('&')
  const request = ['GET', base.pathname, canonical, `host:${base.host}`, '', 'host', 'UNSIGNED-PAYLOAD'].join('\n')
  const text = [ALGORITHM, stamp(by.at), scopeOf(by), createHash('sha256').update(request).digest('hex')].join('\n')
  return `${base.origin}${base.pathname}?${canonical}&X-Amz-Signature=${sign(text, by)}`
}

/** What a form must say so that the bucket takes exactly one file: its key, type and size. */
export type PostRule = { bucket: string; key: string; type: string; size: number; until: Date }

/** The members of a form that may be posted to the bucket; the file follows them as `file`. */
export function postFields({ bucket, key, type, size, until }: PostRule, by: Signer): Record<string, string> {
  const said = {
    key,
    'Content-Type': type,
    success_action_status: '204',
    'x-amz-algorithm': ALGORITHM,
    'x-amz-credential': `${by.credentials.accessKeyId}/${scopeOf(by)}`,
    'x-amz-date': stamp(by.at),
    ...(by.credentials.sessionToken && { 'x-amz-security-token': by.credentials.sessionToken }),
  }
  const conditions = [{ bucket }, ...Object.entries(said).map(([name, value]) => ({ [name]: value }))]
  const rules = { expiration: until.toISOString(), conditions: [...conditions, ['content-length-range', size, size]] }
  const policy = Buffer.from(JSON.stringify(rules)).toString('base64')
  return { ...said, policy, 'x-amz-signature': sign(policy, by) }
}

const ALGORITHM = 'AWS4-HMAC-SHA256'
const stamp = (at: Date) => at.toISOString().replace(/[-:]|\.\d+/g, '')
const day = (at: Date) => stamp(at).slice(0, 8)
const scopeOf = ({ region, at }: Signer) => `${day(at)}/${region}/s3/aws4_request`
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()

/** The signature of a text with the key of the day. */
function sign(text: string, { region, credentials, at }: Signer): string {
  const key = [day(at), region, 's3', 'aws4_request'].reduce<string | Buffer>(
    hmac,
    `AWS4${credentials.secretAccessKey}`,
  )
  return hmac(key, text).toString('hex')
}

/** As RFC 3986 says, which is stricter than the function of the language. */
const encode = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (it) => `%${it.charCodeAt(0).toString(16).toUpperCase()}`)
