import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { Manifest } from './manifest.ts'
import { type Place, placeNamed } from './place.ts'

type Task = { folder: string; place: Place; objects: boolean; bag: boolean; over: boolean; isLocal: boolean }

/** Reads the command line, does the work, and prints what the backup holds, or one line that says why it failed. */
export async function run(usage: string, work: (task: Task) => Promise<Manifest>): Promise<void> {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        objects: { type: 'boolean', default: false },
        over: { type: 'boolean', default: false },
        bag: { type: 'boolean', default: false },
        table: { type: 'string' },
        bucket: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    })
    const [folder, ...others] = positionals
    if (values.help || !folder || others.length > 0) {
      console.error(usage)
      process.exitCode = values.help ? 0 : 2
      return
    }
    const place = placeNamed(values)
    try {
      const manifest = await work({
        folder: resolve(folder),
        place,
        objects: values.objects,
        over: values.over,
        bag: values.bag,
        isLocal: !values.table,
      })
      const { table, bucket, objects, seal } = manifest
      console.log(`${table.lines} items   ${table.sha256}`)
      console.log(`${bucket.lines} objects ${bucket.sha256}${objects ? '' : ' (index only)'}`)
      console.log(`Whole: ${seal}`)
    } finally {
      place.close()
    }
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = 1
  }
}
