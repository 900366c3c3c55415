import { cacheTests } from './cache-rules.ts'

cacheTests({ url: async () => '', shared: false })
