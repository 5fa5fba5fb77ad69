import type { Store } from '../../ops/store.js';
import { ServiceKey } from '../contract.js';

/** The store as a service: the built-in tools use it, and a plugin can inject it. */
export const storeKey = new ServiceKey<Store>('core/store');
