import type { Config } from '../../core/config/index.ts'
import { DEFAULT_LIMITS, type GitLimits } from '../../core/git/index.ts'
import { shareOf } from '../../core/platform/concurrency/processes.ts'

/** The smallest pool of connections with which transactions and reads do not wait for each other. */
const MIN_CONNECTIONS = 2

/** The configuration of one of `count` processes: what the server may use in all is divided among them. */
export function configOfProcess(config: Config, count: number): Config {
  if (count === 1) return config
  const { database, git } = config
  return {
    ...config,
    database: { ...database, max_connections: Math.max(MIN_CONNECTIONS, shareOf(database.max_connections, count)) },
    git: {
      ...git,
      max_processes: shareOf(git.max_processes, count),
      pack_cache_size: Math.floor(git.pack_cache_size / count),
      archive_cache_size: Math.floor(git.archive_cache_size / count),
    },
  }
}

/** The bounds of the git layer in one of `count` processes. */
export function gitLimitsOfProcess(count: number): GitLimits {
  const { objectCacheBytes, resultCacheBytes, maxReaders, maxCommands, maxPacedCommands } = DEFAULT_LIMITS
  return {
    ...DEFAULT_LIMITS,
    objectCacheBytes: shareOf(objectCacheBytes, count),
    resultCacheBytes: shareOf(resultCacheBytes, count),
    maxReaders: Math.max(DEFAULT_LIMITS.readersPerRepo, shareOf(maxReaders, count)),
    maxCommands: shareOf(maxCommands, count),
    maxPacedCommands: shareOf(maxPacedCommands, count),
  }
}
