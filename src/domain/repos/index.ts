export type { Repo } from '../../db/stores/repo.store.ts'
export type { RepoInView } from '../access/index.ts'
export { createRepos, type Repos } from './repos.service.ts'
