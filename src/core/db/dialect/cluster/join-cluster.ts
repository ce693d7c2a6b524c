import type { Processes } from '../../../platform/concurrency/processes.ts'
import { ClusterAnnouncements } from './cluster-announcements.ts'
import { ClusterLink, type ClusterLinkOptions } from './cluster-link.ts'
import { ClusterLocks } from './cluster-locks.ts'
import { ClusterMembers, nameMember } from './cluster-members.ts'

interface ClusterOptions extends Omit<ClusterLinkOptions, 'member'> {
  /** Absolute path of what the nodes share, which may have another one on each. */
  readonly dataDir: string
}

interface Cluster {
  readonly processes: Processes
  close(): Promise<void>
}

/** Makes this process a member of the cluster. `local`: the processes of its own machine. */
export async function joinCluster(options: ClusterOptions, local: Processes): Promise<Cluster> {
  const member = nameMember(options.node)
  const link = await ClusterLink.open({ ...options, member })
  const announcements = new ClusterAnnouncements(link)
  const announcer = {
    announce: (topic: string, detail?: string) => announcements.announce(topic, detail),
    onAnnounced: (topic: string, listener: (detail: string) => void) => announcements.listen(topic, listener),
    onMissed: (listener: () => void) => announcements.onMissed(listener),
  }
  const locks = new ClusterLocks(link, announcer)
  const members = new ClusterMembers(link, announcer, member)
  const onEnded: Processes['onEnded'] = (listener) =>
    members.onEnded((names) => {
      // What they did may not have been announced.
      if (names.length > 0) announcements.miss()
      listener(names)
    })
  // NOTE: names of locks contain paths.
  const sharedName = (name: string): string => name.replace(options.dataDir, '')
  return {
    processes: {
      ...local,
      ...announcer,
      startedAt: 0,
      acrossMachines: true,
      self: member,
      ended: (names) => members.ended(names),
      onEnded,
      otherNodes: async () => link.listNodes(await link.session()),
      locks: {
        lock: (name, mode) => locks.lock(sharedName(name), mode),
        tryLock: (name, mode) => locks.tryLock(sharedName(name), mode),
      },
    },
    async close() {
      members.close()
      await announcements.flush()
      await link.close()
    },
  }
}
