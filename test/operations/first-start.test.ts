import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { welcome } from '../../src/cli/welcome.ts'
import { loadConfig } from '../../src/core/config/index.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { startServer } from '../harness/server.ts'

describeOnBoth('the first administrator', (kind) => {
  it('runs once when several nodes start for the first time together, and prints the two lines for HTTPS', async () => {
    const server = await startServer({ on: kind })
    try {
      const said = await Promise.all([welcome(server.app), welcome(server.app), welcome(server.app)])
      expect(said.filter((text) => text.includes('Created the first administrator'))).toHaveLength(1)
      expect(said.filter((text) => text.includes('Ingot is listening at'))).toHaveLength(3)
      const [, lines] = /For HTTPS, add two lines.*:\n((?: {2}\S.*\n?){2})/.exec(said.join('\n'))!
      const file = join(server.dataDir, 'two-lines.toml')
      writeFileSync(file, lines!)
      expect(loadConfig({ file })).toMatchObject({
        server: { root_url: 'https://git.example.org', host: '0.0.0.0', port: 443 },
        tls: { acme: true },
      })
      const guide = readFileSync(join(import.meta.dirname, '../../docs/operate/https.md'), 'utf8')
      expect(guide).toContain(lines!.replaceAll(/^ {2}/gm, '').trim())
    } finally {
      await server.close()
    }
  })
})
