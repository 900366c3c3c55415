import { nameTable } from '../commands/environment.ts'

const usage = `npm run staff -- ADDRESS

Makes the account with this email address or username staff. Whoever is staff gives others their roles. For the first of them: later ones
are made by staff. Without TABLE_NAME it works on the local service. Elsewhere set TABLE_NAME, AWS_REGION and credentials.`

const [name, ...others] = process.argv.slice(2)
if (!name || name.startsWith('-') || others.length > 0) {
  console.error(usage)
  process.exit(name === '--help' ? 0 : 2)
}
nameTable()
try {
  // Imported here, since these modules read the configuration, which is now set.
  const [users, { inUnit }] = await Promise.all([
    import('../../lib/platform/users/users.ts'),
    import('../../lib/platform/unit-of-work.ts'),
  ])
  const found = await (name.includes('@') ? users.loadUserByEmail(name) : users.loadUserByUsername(name))
  if (!found) throw new Error(`There is no account ${name}.`)
  await inUnit((unit) => users.amendUser(unit, found.id, () => ({ is_staff: true })))
  console.log(`${found.username} is staff.`)
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
}
