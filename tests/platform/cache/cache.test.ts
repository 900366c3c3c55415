import { cacheTests } from '../../harness/cache-rules.ts'

cacheTests({ url: async () => '', shared: false })
