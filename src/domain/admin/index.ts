export { createAdoption, type Adoption } from './adoption.ts'
export { createBadges, type Badges } from './badges.ts'
export { createAccountRemoval, type AccountRemoval } from './remove-account.ts'
export { createFediverse, type Fediverse } from './fediverse.ts'
