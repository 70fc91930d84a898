// The site works without JavaScript. This script adds what a page cannot do without it.
(() => {
  const COPIED_MS = 2000;

  /** A button that copies the text of a block. */
  const addCopyButton = (box) => {
    const text = box.querySelector('pre');
    if (!text || !navigator.clipboard) return;
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.setAttribute('aria-label', `Copy: ${text.getAttribute('aria-label')}`);
    const copy = async () => {
      await navigator.clipboard.writeText(text.textContent);
      button.dataset.copied = '';
      setTimeout(() => delete button.dataset.copied, COPIED_MS);
    };
    button.addEventListener('click', () => {
      copy().catch(() => {});
    });
    box.append(button);
  };
  const addCopyButtons = (root) => root.querySelectorAll('.code-box').forEach(addCopyButton);
  addCopyButtons(document);

  // Escape closes the menu, and so does a click outside.
  const menu = document.querySelector('.menu');
  document.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || !menu?.open) return;
    menu.open = false;
    menu.querySelector('summary').focus();
  });
  document.addEventListener('click', (event) => {
    if (menu?.open && !menu.contains(event.target)) menu.open = false;
  });

  // The map zooms and moves by its view box; the list shows the ZIPs in view, and the map the ZIP that is read.
  const map = document.querySelector('.metro-map');
  const list = document.querySelector('.explore .list');
  if (map && list) {
    const MOST = 3;
    const { width, height } = map.viewBox.baseVal;
    const sections = [...list.querySelectorAll('section')];
    const status = list.querySelector('[role=status]');
    const view = { x: 0, y: 0, zoom: 1 };
    const placeOf = (section) => section.dataset.at?.split(' ').map(Number);
    const isSeen = (section) => {
      const [x, y] = placeOf(section) ?? [view.x, view.y];
      return x >= view.x && y >= view.y && x <= view.x + width / view.zoom && y <= view.y + height / view.zoom;
    };
    const limit = (value, most) => Math.min(Math.max(value, 0), most);
    const whole = status.textContent;
    /** Show a zoom around a point of the map, which moves to this share of the view. */
    const show = (zoom, [x, y], [right, down] = [0.5, 0.5]) => {
      view.zoom = Math.min(Math.max(zoom, 1), MOST);
      const [w, h] = [width / view.zoom, height / view.zoom];
      view.x = limit(x - right * w, width - w);
      view.y = limit(y - down * h, height - h);
      map.setAttribute('viewBox', `${view.x} ${view.y} ${w} ${h}`);
      map.style.setProperty('--zoom', view.zoom);
      map.classList.toggle('zoomed', view.zoom >= 2);
      for (const section of sections) section.hidden = !isSeen(section);
      const seen = sections.filter((section) => !section.hidden);
      const deals = seen.reduce((sum, section) => sum + section.querySelectorAll('li').length, 0);
      const free = `${deals} free ${deals === 1 ? 'deal' : 'deals'}`;
      status.textContent = view.zoom === 1 ? whole : `In view: ${free}, ${seen.length} ZIPs.`;
    };
    const middle = () => [view.x + width / view.zoom / 2, view.y + height / view.zoom / 2];
    const shareOf = ({ clientX, clientY }) => {
      const box = map.getBoundingClientRect();
      return [(clientX - box.left) / box.width, (clientY - box.top) / box.height];
    };
    const pointOf = ([right, down]) => [view.x + (right * width) / view.zoom, view.y + (down * height) / view.zoom];
    const buttons = document.querySelector('.zoom');
    buttons.hidden = false;
    buttons.addEventListener('click', ({ target }) => {
      const step = { in: 1, out: -1, all: -MOST }[target.dataset.zoom];
      if (step) show(view.zoom + step, middle());
    });
    const zoomAt = (event, zoom) => {
      const share = shareOf(event);
      event.preventDefault();
      show(zoom, pointOf(share), share);
    };
    map.addEventListener('dblclick', (event) => zoomAt(event, view.zoom + 1));
    const turned = (event) => event.ctrlKey && zoomAt(event, view.zoom - event.deltaY / 100);
    map.addEventListener('wheel', turned, { passive: false });
    let held = null;
    let hasMoved = false;
    map.addEventListener('pointerdown', (event) => {
      held = view.zoom > 1 ? pointOf(shareOf(event)) : null;
      hasMoved = false;
    });
    map.addEventListener('dragstart', (event) => event.preventDefault());
    addEventListener('pointermove', (event) => {
      if (!held) return;
      hasMoved = true;
      show(view.zoom, held, shareOf(event));
    });
    addEventListener('pointerup', () => (held = null));
    addEventListener('pointercancel', () => (held = null));
    // A drag that ends on a circle follows no link.
    map.addEventListener('click', (event) => hasMoved && event.preventDefault(), true);
    const mark = (section) => {
      map.querySelector('.on')?.classList.remove('on');
      if (!section) return;
      map.querySelector(`[data-zip="${section.dataset.zip}"]`)?.classList.add('on');
    };
    for (const section of sections) {
      section.addEventListener('pointerenter', () => mark(section));
      section.addEventListener('pointerleave', () => mark(null));
      section.addEventListener('focusin', () => {
        mark(section);
        if (view.zoom > 1 && placeOf(section)) show(view.zoom, placeOf(section));
      });
    }
    // A link to a ZIP shows it, also where the list was limited to another view.
    addEventListener('hashchange', () => {
      const section = document.getElementById(location.hash.slice(1));
      if (!sections.includes(section)) return;
      if (section.hidden) show(view.zoom, placeOf(section));
      section.scrollIntoView({ block: 'nearest' });
      mark(section);
    });
  }

  // The query builder is updated while the reader types.
  const form = document.querySelector('form[data-live]');
  const result = document.querySelector('#built');
  if (!(form instanceof HTMLFormElement) || !result) return;
  const PAUSE_MS = 300;
  let timer = 0;
  let latest = 0;

  /** Show the error and the choices of a field. What the reader typed stays. */
  const updateField = (field) => {
    const input = field.querySelector('input, select');
    const shown = document.getElementById(input.id);
    const box = shown?.closest('.field');
    if (!box) return;
    for (const name of ['aria-describedby', 'aria-invalid']) {
      shown.removeAttribute(name);
      if (input.hasAttribute(name)) shown.setAttribute(name, input.getAttribute(name));
    }
    box.classList.toggle('wrong', field.classList.contains('wrong'));
    box.querySelector('.error')?.remove();
    const error = field.querySelector('.error');
    if (error) shown.after(error);
    if (shown.id !== 'f-county' || shown === document.activeElement) return;
    const { value } = shown;
    shown.replaceChildren(...input.childNodes);
    shown.value = value;
  };

  const update = async () => {
    const query = new URLSearchParams([...new FormData(form)].filter(([, value]) => value !== ''));
    const address = `${form.getAttribute('action')}?${query}`;
    const number = ++latest;
    const response = await fetch(address, { headers: { Accept: 'text/html' } });
    const text = await response.text();
    // Ignore a late response to an older query.
    if (number !== latest || !response.ok) return;
    const page = new DOMParser().parseFromString(text, 'text/html');
    const fresh = page.querySelector('#built');
    if (!fresh) return;
    result.replaceChildren(...fresh.childNodes);
    addCopyButtons(result);
    document.dispatchEvent(new Event('built'));
    for (const id of ['problems', 'city-choices', 'zip-choices'])
      document.getElementById(id)?.replaceChildren(...(page.getElementById(id)?.childNodes ?? []));
    page.querySelectorAll('.field').forEach(updateField);
    history.replaceState(null, '', address);
  };
  form.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      update().catch(() => {});
    }, PAUSE_MS);
  });
})();
