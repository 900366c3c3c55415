import { roleId, roles } from '../roles.ts'
import type { Roles } from './judge.ts'
import { type Resources, rolesIn } from './template.ts'

/** The identity from which the local service sends letters. */
export const localIdentity = 'heritage.test'

/** The roles that the template would have for these functions, as resources. */
export function roleResources(names: readonly string[]): Resources {
  // A role may read the SSM parameters that the variables of its function name. Locally they name none.
  return roles('heritage-local', () => ({ LETTERS_IDENTITY: localIdentity }), names).Resources
}

/** What these roles allow on the table and the bucket of these names. */
export function rolesFor(resources: Resources, { table, bucket }: { table: string; bucket: string }): Roles {
  const names = new Map(Object.keys(resources).map((id) => [id, functionOf(id, resources)]))
  const all: Resources = {
    ...resources,
    Table: { Type: 'AWS::DynamoDB::Table', Properties: { TableName: table } },
    Bucket: { Type: 'AWS::S3::Bucket', Properties: { BucketName: bucket } },
  }
  return rolesIn([...names.values()], roleId, all)
}

/** The function of a role. The role's policy is named after it. */
function functionOf(id: string, resources: Resources): string {
  const { Policies }: { Policies: { PolicyName: string }[] } = Object(resources[id]?.Properties)
  return (Policies[0]?.PolicyName ?? '').replace('heritage-local-', '')
}
