import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApp } from '../../src/app/modules.ts'
import { loadConfig } from '../../src/core/config/index.ts'
import { createLogger } from '../../src/core/platform/logger.ts'
import type { TestServer } from './server.ts'

/** Another server on the database of a test server, with files of its own. */
export async function startSecond(first: TestServer): Promise<Pick<TestServer, 'url' | 'close'>> {
  const dataDir = mkdtempSync(join(tmpdir(), 'ingot-second-'))
  const url = first.app.config.database.url || `sqlite:${join(first.dataDir, 'ingot.db')}`
  const flags = { data_dir: dataDir, 'database.url': url, 'server.port': '0', 'ssh.port': '0', 'log.level': 'silent' }
  const app = await createApp(loadConfig({ flags }), { log: createLogger('silent') })
  return {
    url: await app.http.listen({ host: '127.0.0.1', port: 0 }),
    async close() {
      await app.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
