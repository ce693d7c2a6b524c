import { join } from 'node:path'
import type { TempDir } from '../system/processes.ts'
import type { LargeRepo } from './large-repo.ts'

const APART = 50
const BASE = 'fifty-back'

/** A copy of the default branch and the tags of a repository of the user, as the large repository of the run. */
export async function copyGivenRepo(tempDir: TempDir, given: string): Promise<LargeRepo> {
  const path = join(tempDir.dir, 'large.git')
  await tempDir.run('git', ['clone', '--quiet', '--bare', given, path])
  const git = async (...args: string[]): Promise<string[]> =>
    (await tempDir.read('git', args, { cwd: path })).trim().split('\n').filter(Boolean)
  const [tip] = await git('rev-parse', 'HEAD')
  const branches = await git('for-each-ref', '--format=delete %(refname)', 'refs/heads', 'refs/pull')
  await tempDir.run('git', ['update-ref', '--stdin'], { cwd: path, feed: (write) => write(`${branches.join('\n')}\n`) })
  await git('branch', 'main', tip!)
  await git('branch', BASE, `main~${APART}`)
  await git('symbolic-ref', 'HEAD', 'refs/heads/main')
  await git('commit-graph', 'write', '--reachable', '--changed-paths', '--no-progress')
  const files = await git('ls-tree', '-r', '--name-only', 'main')
  const folders = files.filter((name) => name.includes('/')).map((name) => name.slice(0, name.lastIndexOf('/')))
  const perFolder = Map.groupBy(folders, (folder) => folder)
  return {
    path,
    commits: Number((await git('rev-list', '--count', 'main'))[0]),
    files: files.length,
    branches: 2,
    tags: (await git('tag')).length,
    file: files.at(-1)!,
    wide: [...perFolder].reduce((max, one) => (one[1].length > max[1].length ? one : max))[0],
    deep: folders.reduce((max, one) => (one.split('/').length > max.split('/').length ? one : max)),
    compared: { base: BASE, head: 'main' },
  }
}
