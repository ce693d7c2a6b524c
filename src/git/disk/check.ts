import type { GitCommand } from '../engine/command.ts'

export type CheckDepth = 'reachable' | 'everything'

const DEADLINE = 6 * 60 * 60 * 1000
const MAX_LINES = 20

/**
 * What `git fsck` finds wrong, line by line and at most twenty; empty for a sound repository. `reachable` looks whether
 * everything that is reachable from refs exists, `everything` reads and hashes each object too.
 */
export async function checkRepo(command: GitCommand, depth: CheckDepth): Promise<string[]> {
  const args = ['fsck', '--no-dangling', '--no-progress', depth === 'reachable' ? '--connectivity-only' : '--full']
  const { code, stdout, stderr } = await command.run(args, {
    deadline: DEADLINE,
    maxMemory: Number.POSITIVE_INFINITY,
    paced: true,
    codes: Array.from({ length: 256 }, (_, n) => n),
  })
  if (code === 0) return []
  const lines = `${stderr}\n${stdout.toString('utf8')}`
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
  return lines.length === 0 ? [`git fsck ended with ${code}`] : lines.slice(0, MAX_LINES)
}
