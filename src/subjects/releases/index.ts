export { presentRelease } from './release.present.ts'
export { insertRelease } from './release.store.ts'
export { cutTitle, type Releases } from './releases.service.ts'
export type { ReleaseView } from './views.ts'
