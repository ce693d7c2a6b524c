import { cacheScope, type Viewer } from '../../../core/access/viewer.ts'

/** Headers of responses that depend on the viewer. */
export const PRIVATE: Readonly<Record<string, string>> = {
  'cache-control': 'max-age=0, private, must-revalidate, no-transform',
}

/** Headers of files that never change. */
export const immutableFor = (viewer: Viewer): Readonly<Record<string, string>> => ({
  'cache-control': `${cacheScope(viewer)}, max-age=31536000`,
})

export const NO_CACHE: Readonly<Record<string, string>> = {
  expires: 'Fri, 01 Jan 1980 00:00:00 GMT',
  pragma: 'no-cache',
  'cache-control': 'no-cache, max-age=0, must-revalidate',
}
