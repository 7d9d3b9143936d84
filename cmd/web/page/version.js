// The version of the exported page. Its service worker keeps all files of one version, and all tabs are of that until
// they are closed or the person wants the next one.
import { reload } from './address.js';
import { button, notice } from './dom.js';
import { t } from './language.js';

/** Registers the service worker. Browsers may have none or refuse it: then the page needs the network. */
export function keepVersion() {
  const workers = navigator.serviceWorker;
  if (!workers) return;
  let before = workers.controller, asked = false; // at the first visit there is none before
  const tell = (text, action = reload) => notice(text, button(t('Reload'), action, { class: 'small' }));
  workers.addEventListener('controllerchange', () => {
    if (asked) reload();
    else if (before) tell(t('This tab is of an older version of the page, which another tab has replaced.'));
    before = workers.controller;
  });
  workers.register('sw.js').then((registration) => {
    const ready = () => registration.waiting && before && tell(t('There is a new version of this page.'), () => {
      asked = true;
      if (registration.waiting) registration.waiting.postMessage('replace');
      else reload(); // another tab has asked
    });
    ready();
    registration.addEventListener('updatefound', () => registration.installing?.addEventListener('statechange', ready));
  }).catch(() => {});
}
