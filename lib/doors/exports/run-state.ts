import * as v from 'valibot'
import { defineItem, get } from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'

/** What is stored of the exporter's runs. */
const ExportRun = v.object({
  /** Runs that began one after another and did not come to an end. See lib/engines/table/takes.ts. */
  takes: v.number(),
  /** Whether the exporter stopped making exports because three runs ended their process. */
  is_given_up: v.boolean(),
  version: v.number(),
})
export type ExportRun = v.InferOutput<typeof ExportRun>

export const exportRun = defineItem({ type: 'export_run', schema: ExportRun, key: () => key.exportRun() })

/** Loads the state of the exporter. Undefined before its first run. */
export const loadExportRun = (): Promise<ExportRun | undefined> => get(exportRun, {})

/** Whether the exporter gave up. */
export const areExportsGivenUp = async (): Promise<boolean> => (await loadExportRun())?.is_given_up ?? false
