import { keptReach } from '../deploy/reach.ts'
import { roleId, roles } from '../deploy/roles.ts'
import type { Roles } from './judge.ts'
import { type Resources, rolesIn } from './template.ts'

/** Whom letters come from on one's own machine. */
export const localIdentity = 'heritage.test'

/** The roles that the template would give these functions, as resources; from the code as it is now. */
export async function roleResources(root: string, names: readonly string[]): Promise<Resources> {
  const reach = await keptReach(root, names)
  // No function reads parameters on one's own machine.
  return roles('heritage-local', () => ({ LETTERS_IDENTITY: localIdentity }), reach).Resources
}

/** What these roles allow where the table and the bucket have these names. */
export function rolesFor(resources: Resources, { table, bucket }: { table: string; bucket: string }): Roles {
  const names = new Map(Object.keys(resources).map((id) => [id, functionOf(id, resources)]))
  const all: Resources = {
    ...resources,
    Table: { Type: 'AWS::DynamoDB::Table', Properties: { TableName: table } },
    Bucket: { Type: 'AWS::S3::Bucket', Properties: { BucketName: bucket } },
  }
  return rolesIn([...names.values()], roleId, all)
}

/** The function of a role: its policy has the function's name. */
function functionOf(id: string, resources: Resources): string {
  const { Policies }: { Policies: { PolicyName: string }[] } = Object(resources[id]?.Properties)
  return (Policies[0]?.PolicyName ?? '').replace('heritage-local-', '')
}
