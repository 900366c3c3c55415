import { denialFor, grantFor, type Need, type PolicyStatement } from './policy.ts'
import { ACCOUNT } from './requests.ts'

/** What each role allows, by the access key id that its function signs with: the function's name. */
export type Roles = ReadonlyMap<string, readonly PolicyStatement[]>
/** What was allowed (`used`) and denied, as `function action resource`. For `used` the resource is written as in the policy. */
export type AccessRecord = { used: Set<string>; denied: Set<string> }
export const newAccessRecord = (): AccessRecord => ({ used: new Set(), denied: new Set() })

/** The access keys of commands and tests on this machine. They stand for the owner of the account, so they may do everything. */
const operators: readonly (string | undefined)[] = ['local', 'S3RVER']

/**
 * Returns the first need that the signer's role does not allow, or undefined if it allows all. A signer without a role may do nothing,
 * and neither may a request without a signer. Each checked need goes into `record`. A need that a statement with `Deny` refuses is
 * recorded as a use of that statement.
 */
export function refusal(
  roles: Roles,
  signer: string | undefined,
  needs: readonly Need[],
  record: AccessRecord,
): Need | undefined {
  if (operators.includes(signer)) return undefined
  const statements = roles.get(signer ?? '') ?? []
  for (const need of needs) {
    const grant = grantFor(statements, need)
    if (!grant) {
      const meant = denialFor(statements, need)
      if (meant) record.used.add(`${signer} ${meant.action} ${meant.resource}`)
      else record.denied.add(`${signer ?? 'nobody'} ${need.action} ${need.resource}`)
      return need
    }
    record.used.add(`${signer} ${grant.action} ${grant.resource}`)
  }
  return undefined
}

export type RefusalReply = { status: number; headers: { [name: string]: string }; body: string }

/** AWS's message for a refusal. */
const words = (signer: string | undefined, { action, resource }: Need) =>
  `User: arn:aws:sts::${ACCOUNT}:assumed-role/${signer}/${signer} is not authorized to perform: ${action} on resource: ${resource} because no identity-based policy allows the ${action} action`

/** The refusal of DynamoDB and of the parameter store. */
export const deniedTarget = (signer: string | undefined, need: Need): RefusalReply => ({
  status: 400,
  headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amzn-requestid': 'denied' },
  body: JSON.stringify({
    __type: `${need.action.startsWith('ssm:') ? '' : 'com.amazon.coral.service#'}AccessDeniedException`,
    [need.action.startsWith('ssm:') ? 'message' : 'Message']: words(signer, need),
  }),
})

/** The refusal of Lambda, when a function is called. */
export const deniedCall = (signer: string | undefined, need: Need): RefusalReply => ({
  status: 403,
  headers: { 'content-type': 'application/json', 'x-amzn-errortype': 'AccessDeniedException' },
  body: JSON.stringify({ Message: words(signer, need) }),
})

/** The refusal of S3. */
export const deniedObject = (signer: string | undefined, need: Need): RefusalReply => ({
  status: 403,
  headers: { 'content-type': 'application/xml', 'x-amz-request-id': 'denied' },
  body: `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>AccessDenied</Code><Message>${
    signer === undefined ? 'Access Denied' : words(signer, need)
  }</Message><RequestId>denied</RequestId><HostId>denied</HostId></Error>`,
})
