// The address of the page for others, and from where it can be reached.

import { gameList } from '../core/api.js';

// Addresses that cannot be reached from elsewhere: of this machine, and of private networks.
const LOCAL_HOST = /(^|\.)localhost$|^127\.|^\[::1\]$|^0\.0\.0\.0$/;
const PRIVATE_NETWORK =
  /^(10|192\.168|172\.(1[6-9]|2\d|3[01])|169\.254)(\.\d+)+$|^\[f[cde]|^[^.[]+$|\.(local|lan|home|internal)$/;

/**
 * Return where a host can be reached from: `local`, `network`, or empty for everywhere.
 *
 * @param {string} host
 */
export const hostReach = (host) =>
  LOCAL_HOST.test(host) ? 'local' : PRIVATE_NETWORK.test(host) ? 'network' : '';

// Return the address to which fragments are added in links, and from where it can be reached.
export async function publicAddress() {
  const { public: publicBase } = await gameList();
  return {
    base: publicBase ?? new URL('.', location.href).href,
    reach: publicBase ? '' : hostReach(location.hostname),
  };
}
