"""Takes pictures of the console's pages: light, dark, in Arabic and on a phone.

Usage: BIN=DIRECTORY console_pictures.py PICTURES

BIN is the directory of chimed; PICTURES is the directory of the pictures, which is created.
"""

import os
import sys
import tempfile

from playwright.sync_api import sync_playwright

from browser import Browser, ConsoleService
from console_test import every_page_can_be_seen_and_used, report_sample_people

ROOT = os.path.abspath(__file__).rsplit("/", 4)[0]


def main(pictures):
    os.makedirs(pictures, exist_ok=True)
    program = os.path.abspath(os.environ["BIN"] + "/chimed")
    with tempfile.TemporaryDirectory() as directory:
        service = ConsoleService(program, ROOT + "/config/catalogs", directory)
        try:
            report_sample_people(service)
            with sync_playwright() as playwright:
                every_page_can_be_seen_and_used(Browser(playwright, service), pictures)
        finally:
            service.process.kill()


if __name__ == "__main__":
    main(sys.argv[1])
