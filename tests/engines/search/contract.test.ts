import { openApp } from '../../harness/app.ts'
import { describeEngine } from '../../harness/search-contract.ts'

describeEngine('the embedded engine', async () => {
  await openApp()
  await import('../../../lib/domain/composition.ts')
  return import('../../../lib/engines/search/index.ts')
})
