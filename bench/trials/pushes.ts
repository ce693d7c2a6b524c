import { gitLogin, tokenHeaders } from '../api.ts'
import { commitOn } from '../data/commits.ts'
import type { Trial } from '../figure.ts'
import { applyLoad, median } from '../load/load.ts'
import { gitUrl } from '../run.ts'

const NAMES = { client: 'push of one commit, client', server: 'push of one commit, server' } as const
const PUSHES = 7
const MAX_MS = 50

/**
 * Pushes of one commit each. The server's part is what it says itself, with the time of the ref advertisement before
 * it.
 */
export const pushes: Trial = {
  names: Object.values(NAMES),
  needs: 'large',
  async run(run) {
    const { tempDir, target, seed, large } = run
    const url = gitUrl(run, seed.large)
    const client: number[] = []
    const server: number[] = []
    target.takePushTime?.()
    for (let i = 0; i < PUSHES; i++) {
      await commitOn(tempDir, large.path, { file: large.file, text: `${target.name} ${i}` })
      client.push(
        await tempDir.run('git', ['push', '--quiet', url, 'main:main'], { cwd: large.path, env: gitLogin(target) }),
      )
      const ms = target.takePushTime?.()
      if (ms !== undefined) server.push(ms)
    }
    const next = () => ({
      method: 'GET',
      url: `${url}/info/refs?service=git-receive-pack`,
      headers: tokenHeaders(target),
    })
    const advertisement = server.length === 0 ? undefined : await applyLoad({ seconds: 0.5, connections: 1, next })
    return [
      { name: NAMES.client, measured: median(client), unit: 'ms' },
      {
        name: NAMES.server,
        measured: advertisement?.failures === 0 ? median(server) + advertisement.p50 : undefined,
        unit: 'ms',
        max: MAX_MS,
      },
    ]
  },
}
