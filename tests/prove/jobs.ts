import { commonJobs, type Job } from './background.ts'
import { importJobs } from './import-jobs.ts'
import { rareJobs } from './rare-jobs.ts'

export const jobs: readonly Job[] = [...commonJobs, ...rareJobs, ...importJobs]
