import type { Processes } from '../../../platform/concurrency/processes.ts'
import { ClusterAnnouncements } from './cluster-announcements.ts'
import { ClusterLink, type ClusterLinkOptions } from './cluster-link.ts'
import { ClusterLocks } from './cluster-locks.ts'

interface ClusterOptions extends ClusterLinkOptions {
  /** Absolute path of what the nodes share, which may have another one on each. */
  readonly dataDir: string
}

interface Cluster {
  readonly processes: Processes
  close(): Promise<void>
}

/** Makes this process a member of the cluster. `local`: the processes of its own machine. */
export async function joinCluster(options: ClusterOptions, local: Processes): Promise<Cluster> {
  const link = await ClusterLink.open(options)
  const announcements = new ClusterAnnouncements(link)
  const announcer = {
    announce: (topic: string, detail?: string) => announcements.announce(topic, detail),
    onAnnounced: (topic: string, listener: (detail: string) => void) => announcements.listen(topic, listener),
    onMissed: (listener: () => void) => announcements.onMissed(listener),
  }
  const locks = new ClusterLocks(link, announcer)
  // NOTE: names of locks contain paths.
  const sharedName = (name: string): string => name.replace(options.dataDir, '')
  return {
    processes: {
      ...local,
      ...announcer,
      startedAt: 0,
      acrossMachines: true,
      locks: {
        lock: (name, mode) => locks.lock(sharedName(name), mode),
        tryLock: (name, mode) => locks.tryLock(sharedName(name), mode),
      },
    },
    close: () => link.close(),
  }
}
