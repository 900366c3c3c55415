import { nameTable, requireBucket } from './environment.ts'

const usage = `npm run recount

Brings everything that follows from other things up to what the table holds: links, the names index, entries of the queue,
audiences of comments, words of projects, the sizes of lists, figures and boards, and search. For after a change of how
they are made, or when the projector has given up on changes. It reads the whole table. It may be run at any time, and
again. Without TABLE_NAME it means the service that runs here; for a deployed one set TABLE_NAME, BUCKET_NAME, AWS_REGION
and credentials.`

if (process.argv.length > 2) {
  console.error(usage)
  process.exit(2)
}
nameTable()
try {
  requireBucket()
  // Imported here, since these modules read the configuration, which is now set.
  await import('../../lib/domain/composition.ts')
  const { repairAll } = await import('../../lib/domain/effects/repair.ts')
  let told = performance.now()
  const done = await repairAll((so_far) => {
    if (performance.now() - told < 5000) return
    told = performance.now()
    console.log(`${so_far} records so far`)
  })
  console.log(`Looked at ${done.records} records, ${done.projects} projects and ${done.people} people.`)
  console.log(`Put right: ${done.mended} items that follow from records, ${done.sizes} sizes of lists.`)
  console.log(`Search was built from ${done.documents} documents.`)
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
}
