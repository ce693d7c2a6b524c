export { createBadges, type Badges } from './badges.ts'
export { createAccountRemoval, type AccountRemoval } from './remove-account.ts'
