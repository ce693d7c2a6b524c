import { expect, it } from 'vitest'
import { welcome } from '../../src/cli/welcome.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { startServer } from '../harness/server.ts'

describeOnBoth('the first administrator', (kind) => {
  it('is made once by nodes that start for the first time together', async () => {
    const server = await startServer({ on: kind })
    try {
      const said = await Promise.all([welcome(server.app), welcome(server.app), welcome(server.app)])
      expect(said.filter((text) => text.includes('Created the first administrator'))).toHaveLength(1)
      expect(said.filter((text) => text.includes('Ingot is listening at'))).toHaveLength(3)
    } finally {
      await server.close()
    }
  })
})
