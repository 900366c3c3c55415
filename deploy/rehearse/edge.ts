import { ask } from './speaker.ts'

/**
 * Somebody calls the gateway around the edge. The header by which the edge proves itself is missing or made up, and the address that is told
 * is a lie. All of it is refused. Through the edge the same headers change nothing, since the edge sets its own.
 * Returns what went wrong.
 */
export async function forgedEdge(through: string, around: string): Promise<string[]> {
  const forged = { 'x-edge-secret': 'x'.repeat(64), 'cloudfront-viewer-address': '203.0.113.9:1' }
  const paths = ['/cidoc/structures/', '/data/search/?q=patan', '/health/', '/nowhere/']
  const failed: string[] = []
  for (const path of paths) {
    for (const headers of [{}, forged]) {
      const { status, text } = await ask(around, 'GET', path, { headers })
      if (status !== 400 || !text.includes('This host is not served here.'))
        failed.push(`around the edge ${path} is answered ${status}: ${text.slice(0, 100)}`)
    }
    const { status } = await ask(through, 'GET', path, { headers: forged })
    if (status === 400 || status >= 500) failed.push(`through the edge ${path} is answered ${status}`)
  }
  return failed
}
