import { HEADS } from '../pulls/plan.ts'
import { createPulls, MERGE_STYLES, mergePull, untilMergeable } from '../pulls/changes.ts'
import { createPull, LAST } from '../pulls/setup.ts'
import type { Figure, Trial } from '../figure.ts'
import type { Run } from '../run.ts'
import { type GitWrapper, makeGitWrapper } from '../system/git-wrapper.ts'
import { startOwn } from '../system/target.ts'

const CREATE = 'many pulls: create one, git processes'
const mergeName = (style: string) => `many pulls: merge by ${style}, git processes`
const MAX = 5

/**
 * git processes of one request, what follows it in the background not included; on a server of its own. Needs the
 * branches of the trial of many pull requests.
 */
export const pullProcesses: Trial = {
  names: [CREATE, ...MERGE_STYLES.map(mergeName)],
  needs: 'large',
  async run(run) {
    const { tempDir, own } = run
    if (own === undefined) return []
    await tempDir.stop(own.server.child)
    const wrapper = await makeGitWrapper(tempDir, 'pull-wrapper')
    const server = await startOwn(tempDir, { dataDir: own.dataDir, databaseUrl: own.databaseUrl, path: wrapper.path })
    const counted = { ...run, target: { ...run.target, url: server.url } }
    const branch = `${HEADS.create}-${LAST.countedCreate}`
    const created = await count(wrapper, async () => void (await createPull(counted, branch)))
    const figures: Figure[] = [{ name: CREATE, measured: created, unit: 'processes', max: MAX }]
    for (const style of MERGE_STYLES)
      figures.push({
        name: mergeName(style),
        measured: await countMerge(counted, wrapper, style),
        unit: 'processes',
        max: MAX,
      })
    await tempDir.stop(server.child)
    return figures
  },
}

async function countMerge(run: Run, wrapper: GitWrapper, style: (typeof MERGE_STYLES)[number]): Promise<number> {
  const [number] = (await createPulls(run, style, LAST.countedMerge, 1)) as [number]
  await untilMergeable(run, number)
  return count(wrapper, async () => void (await mergePull(run, number, style)))
}

async function count(wrapper: GitWrapper, work: () => Promise<void>): Promise<number> {
  await wrapper.untilQuiet()
  const before = wrapper.count()
  await work()
  return wrapper.count() - before
}
