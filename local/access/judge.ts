import { grantFor, type Need, type Statement } from './policy.ts'
import { ACCOUNT } from './requests.ts'

/** What each role allows, by the access key id that its function signs with: the function's name. */
export type Roles = ReadonlyMap<string, readonly Statement[]>
/** What was allowed and denied, as `function action resource`; the resource of what was allowed as the policy writes it. */
export type AccessRecord = { used: Set<string>; denied: Set<string> }
export const newRecord = (): AccessRecord => ({ used: new Set(), denied: new Set() })

/** Who runs commands and tests on this machine. No role holds them back: they stand for the owner of the account. */
const operators: readonly (string | undefined)[] = ['local', 'S3RVER']

/**
 * The first need that the role of whoever signed does not allow, or undefined. A name without a role may do nothing, and so
 * may nobody. All that was asked is noted.
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
      record.denied.add(`${signer ?? 'nobody'} ${need.action} ${need.resource}`)
      return need
    }
    record.used.add(`${signer} ${grant.action} ${grant.resource}`)
  }
  return undefined
}

export type Answer = { status: number; headers: { [name: string]: string }; body: string }

/** How AWS says no, in words that name who, what and where. */
const words = (signer: string | undefined, { action, resource }: Need) =>
  `User: arn:aws:sts::${ACCOUNT}:assumed-role/${signer}/${signer} is not authorized to perform: ${action} on resource: ${resource} because no identity-based policy allows the ${action} action`

/** As DynamoDB and the parameter store answer. */
export const deniedTarget = (signer: string | undefined, need: Need): Answer => ({
  status: 400,
  headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amzn-requestid': 'denied' },
  body: JSON.stringify({
    __type: `${need.action.startsWith('ssm:') ? '' : 'com.amazon.coral.service#'}AccessDeniedException`,
    [need.action.startsWith('ssm:') ? 'message' : 'Message']: words(signer, need),
  }),
})

/** As Lambda answers who calls a function. */
export const deniedCall = (signer: string | undefined, need: Need): Answer => ({
  status: 403,
  headers: { 'content-type': 'application/json', 'x-amzn-errortype': 'AccessDeniedException' },
  body: JSON.stringify({ Message: words(signer, need) }),
})

/** As S3 answers. */
export const deniedObject = (signer: string | undefined, need: Need): Answer => ({
  status: 403,
  headers: { 'content-type': 'application/xml', 'x-amz-request-id': 'denied' },
  body: `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>AccessDenied</Code><Message>${
    signer === undefined ? 'Access Denied' : words(signer, need)
  }</Message><RequestId>denied</RequestId><HostId>denied</HostId></Error>`,
})
