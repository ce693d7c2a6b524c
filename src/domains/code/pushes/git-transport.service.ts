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
import { isPublicRepo } from '../../../core/access/authorize.ts'
import { INGOT_VERSION } from '../../../core/platform/version.ts'
import type { Repo } from '../../repositories/index.ts'
import type { OnDemandRefs } from './post-receive.ts'

/** Settings and functions that git over HTTP and over SSH share. */
export interface GitTransport {
  readonly uploadPack: UploadPack
  readonly receivePack: ReceivePack
  readonly uploadArchive: UploadArchiveOptions
  /** The maximum size of the pack of a push in bytes. */
  readonly maxPackBytes: number
  /** The minimum pack size in bytes for a repository to have a bundle; Infinity if bundles are disabled. */
  readonly bundleMinBytes: number
  /** The URL of a repository's bundle; undefined if bundles are disabled. */
  readonly bundleUrl: ((repo: Repo) => BundleUrl) | undefined
  /** The same for anonymous clients: undefined for repositories that they cannot read. */
  readonly openBundleUrl: ((repo: Repo) => BundleUrl | undefined) | undefined
}

export interface GitTransportSettings {
  /**
   * The maximum number of concurrent fetches, and of concurrent pushes; one repository may use half of it, and so may one
   * account or anonymous network: a client that stops in the middle keeps its place until it was silent for too long.
   */
  readonly maxProcesses: number
  /** Milliseconds without data after which a transfer is aborted. */
  readonly idleMs: number
  /** The maximum size of a push in bytes; 0 for no limit. */
  readonly maxPushSize: number
  /** The cache of packs of identical fetches; undefined disables it. */
  readonly packCache: { readonly dir: string; readonly maxBytes: number } | undefined
  /** The minimum pack size in bytes for a repository to have a bundle; undefined disables bundles. */
  readonly bundleMinBytes: number | undefined
  /** Whether anonymous clients cannot read anything. */
  readonly requireSignIn: boolean
}

interface GitTransportDeps extends Pick<Core, 'git' | 'clock' | 'log'> {
  readonly settings: GitTransportSettings
  readonly onDemandRefs: OnDemandRefs
  /** The URL of the server without a trailing slash. */
  rootUrl(): string
}

const HOUR_MS = 3_600_000
const CACHE_AGE_MS = 6 * HOUR_MS
const TRANSFER_MS = 12 * HOUR_MS

/**
 * Refs that are never advertised. Refs of pull requests and merge queues are advertised, but only the server writes
 * them.
 */
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
  const half = Math.max(1, Math.ceil(maxProcesses / 2))
  const cache = packCache && (await PackCache.open({ ...packCache, maxAgeMs: CACHE_AGE_MS, clock }))
  return {
    ...createBundleUrls(deps),
    uploadPack: createUploadPack({
      ...common,
      hiddenRefs: INTERNAL,
      beforeRefs: async (repo, prefixes) => void (await onDemandRefs.run(repo.storage, prefixes)),
      maxFetches: maxProcesses,
      maxFetchesPerKey: half,
      ...(cache && { cache }),
    }),
    receivePack: createReceivePack({
      ...common,
      reservedRefs: RESERVED,
      maxPushes: maxProcesses,
      maxPushesPerKey: half,
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
