import type { Core } from '../../../core/module.ts'
import {
  type BundleUrl,
  createReceivePack,
  createUploadPack,
  PackCache,
  type ReceivePack,
  type UploadArchiveOptions,
  type UploadPack,
} from '../../../core/git/index.ts'
import { isPublicRepo } from '../../../core/access/admit.ts'
import { INGOT_VERSION } from '../../../core/platform/version.ts'
import type { Repo } from '../../repositories/index.ts'
import type { OnDemandRefs } from './post-receive.ts'

/** What git over HTTP and over SSH have in common. */
export interface GitTransport {
  readonly uploadPack: UploadPack
  readonly receivePack: ReceivePack
  readonly uploadArchive: UploadArchiveOptions
  /** Largest pack of a push, bytes. */
  readonly maxPackBytes: number
  /** Bytes of packs from which on a repository has a bundle; Infinity where bundles are off. */
  readonly bundleMinBytes: number
  /** The address of a repository's bundle; undefined where bundles are off. */
  readonly bundleUrl: ((repo: Repo) => BundleUrl) | undefined
  /** The same for anonymous clients: undefined for repositories that they cannot read. */
  readonly openBundleUrl: ((repo: Repo) => BundleUrl | undefined) | undefined
}

export interface GitTransportSettings {
  /** Limit of concurrent fetches, and of concurrent pushes; half of it for one repository. */
  readonly maxProcesses: number
  /** Milliseconds without a byte after which a transfer ends. */
  readonly idleMs: number
  /** Largest push, bytes; 0 for no limit. */
  readonly maxPushSize: number
  /** Cache of the packs of identical fetches; undefined turns it off. */
  readonly packCache: { readonly dir: string; readonly maxBytes: number } | undefined
  /** Bytes of packs from which on a repository has a bundle; undefined turns bundles off. */
  readonly bundleMinBytes: number | undefined
  /** Anonymous clients read nothing. */
  readonly requireSignIn: boolean
}

interface GitTransportDeps extends Pick<Core, 'git' | 'clock' | 'log'> {
  readonly settings: GitTransportSettings
  readonly onDemandRefs: OnDemandRefs
  /** The address of the server, without a slash at the end. */
  rootUrl(): string
}

const HOUR_MS = 3_600_000
const CACHE_AGE_MS = 6 * HOUR_MS
const TRANSFER_MS = 12 * HOUR_MS

/** Internal refs are never advertised. Those of pull requests and merge queues are, but only the server writes them. */
const INTERNAL = ['refs/ingot/']
const RESERVED = [...INTERNAL, 'refs/pull/', 'refs/queue/']

export async function createGitTransport(deps: GitTransportDeps): Promise<GitTransport> {
  const { git, clock, log, settings, onDemandRefs } = deps
  const { maxProcesses, idleMs, maxPushSize, packCache } = settings
  const common = {
    agent: `git/${git.version}-ingot-${INGOT_VERSION.replace(/\+.*/, '')}`,
    idleMs,
    deadlineMs: TRANSFER_MS,
  }
  const perRepo = Math.max(1, Math.ceil(maxProcesses / 2))
  const cache = packCache && (await PackCache.open({ ...packCache, maxAgeMs: CACHE_AGE_MS, clock }))
  return {
    ...createBundleUrls(deps),
    uploadPack: createUploadPack({
      ...common,
      hiddenRefs: INTERNAL,
      beforeRefs: async (repo, prefixes) => void (await onDemandRefs.run(repo.storage, prefixes)),
      maxFetches: maxProcesses,
      maxFetchesPerRepo: perRepo,
      ...(cache && { cache }),
    }),
    receivePack: createReceivePack({
      ...common,
      reservedRefs: RESERVED,
      maxPushes: maxProcesses,
      maxPushesPerRepo: perRepo,
      onError: (error) => log.error({ err: error }, 'push failed'),
    }),
    uploadArchive: { idleMs, deadlineMs: TRANSFER_MS },
    maxPackBytes: maxPushSize > 0 ? maxPushSize : Number.MAX_SAFE_INTEGER,
  }
}

function createBundleUrls({
  git,
  rootUrl,
  settings: { bundleMinBytes, requireSignIn },
}: GitTransportDeps): Pick<GitTransport, 'bundleUrl' | 'bundleMinBytes' | 'openBundleUrl'> {
  if (bundleMinBytes === undefined)
    return { bundleUrl: undefined, bundleMinBytes: Number.POSITIVE_INFINITY, openBundleUrl: undefined }
  const bundleUrl =
    (repo: Repo): BundleUrl =>
    async () => {
      const bundle = await git.openBundle(repo.storage)
      await bundle?.file.close()
      return bundle && `${rootUrl()}/${repo.fullName}.git/clone.bundle`
    }
  const isOpen = (repo: Repo): boolean => isPublicRepo(repo) && !requireSignIn
  return { bundleUrl, bundleMinBytes, openBundleUrl: (repo) => (isOpen(repo) ? bundleUrl(repo) : undefined) }
}
