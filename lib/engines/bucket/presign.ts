import { buildQueryString } from '@smithy/core/protocols'
import { createScope } from '@smithy/signature-v4'
import { type Credentials, signerOf } from '../../base/signing.ts'

/** The signer, and the time of the signature. */
export type Signer = { region: string; credentials: Credentials; at: Date }

/**
 * An address that lets whoever has it read one object for a while (AWS Signature 4 in the query). `base` is the object's
 * address. Signing is arithmetic: no call is made.
 */
export function presignedGet(
  base: URL,
  query: Readonly<Record<string, string>>,
  seconds: number,
  { region, credentials, at }: Signer,
): Promise<string> {
  const headers = { host: base.host, 'X-Amz-Content-Sha256': 'UNSIGNED-PAYLOAD' }
  const { protocol, hostname, origin, pathname: path } = base
  return signerOf(SERVICE, region, credentials)
    .presign(
      { method: 'GET', protocol, hostname, path, query: { ...query }, headers },
      { signingDate: at, expiresIn: seconds },
    )
    .then((signed) => `${origin}${path}?${buildQueryString(signed.query ?? {})}`)
}

/** The one file that a form may store: its key, type and size, until when. */
export type PostRule = { bucket: string; key: string; type: string; size: number; until: Date }

/**
 * The members of a form that may be posted to the bucket; the file follows them as `file`. The signature covers the
 * policy: a text with the conditions, which S3 checks.
 */
export function postFields(
  { bucket, key, type, size, until }: PostRule,
  { region, credentials, at }: Signer,
): Promise<Record<string, string>> {
  const time = at.toISOString().replace(/[-:]|\.\d+/g, '')
  const fields = {
    key,
    'Content-Type': type,
    success_action_status: '204',
    'x-amz-algorithm': 'AWS4-HMAC-SHA256',
    'x-amz-credential': `${credentials.accessKeyId}/${createScope(time.slice(0, 8), region, SERVICE)}`,
    'x-amz-date': time,
    ...(credentials.sessionToken && { 'x-amz-security-token': credentials.sessionToken }),
  }
  const conditions = [{ bucket }, ...Object.entries(fields).map(([name, value]) => ({ [name]: value }))]
  const rules = { expiration: until.toISOString(), conditions: [...conditions, ['content-length-range', size, size]] }
  const policy = Buffer.from(JSON.stringify(rules)).toString('base64')
  return signerOf(SERVICE, region, credentials)
    .sign(policy, { signingDate: at })
    .then((signature) => ({ ...fields, policy, 'x-amz-signature': signature }))
}

const SERVICE = 's3'
