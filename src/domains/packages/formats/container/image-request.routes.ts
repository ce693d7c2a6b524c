import type { FastifyRequest } from 'fastify'
import type { SignedIn, Viewer } from '../../../../core/access/viewer.ts'
import type { User } from '../../../accounts/index.ts'
import type { PackageContents, PackageHold } from '../../packages/package-contents.service.ts'
import type { PullThrough } from '../../upstreams/pull-through.service.ts'
import type { FormatAnswer } from '../../registry/format.ts'
import type { BlobUploads } from './blob-uploads.service.ts'
import type { ContainerAccessDeps } from './container-access.routes.ts'
import { ContainerRefusal, unknownImage } from './container-refusal.ts'
import type { ImageReads } from './image-reads.service.ts'
import type { Images } from './images.service.ts'

export interface ContainerRouteDeps extends ContainerAccessDeps {
  readonly contents: PackageContents
  readonly pullThrough: PullThrough
  readonly images: Images
  readonly reads: ImageReads
  readonly uploads: BlobUploads
}

/** A request for an image, authorized for its route. */
export interface ImageRequest {
  readonly viewer: Viewer
  readonly owner: User
  /** Below the owner. */
  readonly image: string
  /** Id of the package; undefined if the image does not exist yet. */
  readonly packageId: number | undefined
  /** `owner/image` as in the address. */
  readonly name: string
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  readonly request: FastifyRequest
}

export interface ImageWrite extends ImageRequest {
  readonly viewer: SignedIn
  readonly hold: PackageHold
}

export type ImageRoute = { readonly method: string; readonly path: RegExp } & (
  | { readonly access: 'read'; handle(deps: ContainerRouteDeps, request: ImageRequest): Promise<FormatAnswer> }
  | { readonly access: 'write'; handle(deps: ContainerRouteDeps, request: ImageWrite): Promise<FormatAnswer> }
)

/** Throws ContainerRefusal if the image does not exist. */
export function requireImage({ packageId }: Pick<ImageRequest, 'packageId'>): number {
  if (packageId === undefined) throw unknownImage()
  return packageId
}

const DEFAULT_PAGE = 100
const MAX_PAGE = 1000

/** The page that `n` and `last` select. Throws ContainerRefusal. */
export function pageOf(query: URLSearchParams): { readonly limit: number; readonly after: string } {
  const n = query.get('n') ?? String(DEFAULT_PAGE)
  if (!/^\d{1,9}$/.test(n)) throw new ContainerRefusal(400, 'UNSUPPORTED', 'n must be a number')
  return { limit: Math.min(Number(n), MAX_PAGE), after: query.get('last') ?? '' }
}
