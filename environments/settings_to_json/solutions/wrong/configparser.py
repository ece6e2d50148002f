import configparser
import json

parser = configparser.ConfigParser()
parser.read("settings.ini", encoding="utf-8")
json.dump({name: dict(parser[name]) for name in parser.sections()}, open("settings.json", "w"))
