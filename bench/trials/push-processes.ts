import { gitLogin } from '../api.ts'
import { commitOn } from '../data/commits.ts'
import type { Trial } from '../figure.ts'
import { median } from '../load/load.ts'
import { gitUrl } from '../run.ts'
import { makeGitWrapper } from '../system/git-wrapper.ts'
import { startOwn } from '../system/target.ts'

const NAME = 'push of one commit, git processes'
const PUSHES = 5
const MAX = 3

/**
 * git processes that the server starts while a client pushes: reported by a script in git's run, so on a server of its
 * own.
 */
export const pushProcesses: Trial = {
  names: [NAME],
  needs: 'large',
  async run(run) {
    const { tempDir, seed, large, own } = run
    if (own === undefined) return [{ name: NAME, measured: undefined, unit: 'processes', max: MAX }]
    await tempDir.stop(own.server.child)
    const wrapper = await makeGitWrapper(tempDir, 'push-wrapper')
    const server = await startOwn(tempDir, { dataDir: own.dataDir, databaseUrl: own.databaseUrl, path: wrapper.path })
    const target = { ...run.target, url: server.url }
    const counts: number[] = []
    for (let i = 0; i < PUSHES; i++) {
      await commitOn(tempDir, large.path, { file: large.file, text: `counted ${i}` })
      await wrapper.untilQuiet()
      const before = wrapper.count()
      await tempDir.run('git', ['push', '--quiet', gitUrl({ target }, seed.large), 'main:main'], {
        cwd: large.path,
        env: gitLogin(target),
      })
      counts.push(wrapper.count() - before)
    }
    await tempDir.stop(server.child)
    return [{ name: NAME, measured: median(counts), unit: 'processes', max: MAX }]
  },
}
