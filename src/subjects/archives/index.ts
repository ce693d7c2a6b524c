export { type ArchiveDownloads, loadArchiveDownloads, NO_DOWNLOADS } from './archive-download.store.ts'
export { TagArchiveDownloadCount } from './archive.model.ts'
